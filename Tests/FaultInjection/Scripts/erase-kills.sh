#!/bin/sh
# Kills a process that appends, closes, truncates, erases and compacts at random moments.
# Usage: erase-kills.sh [kills in all, default 1000] [seed of the first round]
# Ten kills are one round on one store. Each round prints its seed and what was acknowledged.
set -eu
cd "$(dirname "$0")/../../.."
export ANNALS_ERASE_KILLS="${1:-1000}" ANNALS_SEED="${2:-1}"
exec swift test --filter '^FaultInjectionTests\.EraseKillTests'
