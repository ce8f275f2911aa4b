#!/bin/sh
# Kills processes that fold, rebuild and switch views at random moments: view-kills.sh [kills in all, default 300] [seed of the first round].
# Thirty kills are one round on one store; each round prints its seed where something is wrong.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_VIEW_KILLS="${1:-300}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.ViewKillTests'
