#!/bin/sh
# Cuts the power of workloads that attach, erase, truncate, retain and remove, at every moment.
# Usage: life-powercuts.sh [images in all, default 10000] [seed of the first round]
# A round records two workloads, and examines at most 1,000 images of each. Each recording prints its seed; a
# finding names moment and selection. ANNALS_KEEP=DIRECTORY keeps the images of findings there.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_LIFE_POWER_CUTS="${1:-10000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.LifePowerCut'
