#!/bin/sh
# Kills processes that work on one store.
# Usage: processes.sh [kills, default 6000] [seed of the first round]
# Three writers and two readers share a store. Three hundred kills are one round on one store. Each round
# prints its seed and its counts.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_KILLS="${1:-6000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.ProcessKillTests'
