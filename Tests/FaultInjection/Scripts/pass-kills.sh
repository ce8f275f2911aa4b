#!/bin/sh
# Kills migration passes, rollbacks and removals at random moments alongside a writer.
# Usage: pass-kills.sh [kills in all, default 500] [seed of the first round]
# Twenty kills are one round on one store. Each round prints its seed. It also tries named steps of a pass one
# by one.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_PASS_KILLS="${1:-500}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.Pass(Kill|Storm)Tests'
