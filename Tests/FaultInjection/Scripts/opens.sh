#!/bin/sh
# Opens and closes one store in three processes while two others fail to open it.
# Usage: opens.sh [opens, default 20000] [seed of the first round]
# Five hundred opens are one round on one store. Each round prints its seed and its counts.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_OPENS="${1:-20000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.OpenRaceTests'
