#!/bin/sh
# Kills processes that fold, rebuild and switch views at random moments.
# Usage: view-kills.sh [kills in all, default 300] [seed of the first round]
# Thirty kills are one round on one store. A round with findings prints its seed.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_VIEW_KILLS="${1:-300}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.ViewKillTests'
