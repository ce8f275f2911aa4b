#!/bin/sh
# Kills appending and creating processes: kills.sh [how many of each, default 200] [seed of the first round].
# Twenty kills are one round on one store; each round prints its seed.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_KILLS="${1:-200}" ANNALS_SEED="${2:-1}" exec swift test --filter 'AnnalsTests\.KillTests'
