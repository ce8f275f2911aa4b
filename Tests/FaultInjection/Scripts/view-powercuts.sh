#!/bin/sh
# Cuts the power of the building, following, switching and carrying over of views at every moment: view-powercuts.sh [images in all, default 4000] [seed of the first round].
# A round records one workload twice, with full and with relaxed commits of the log; at most 1,000 images of each are looked at, and up to 400 of second cuts.
# With ANNALS_KEEP=DIRECTORY the images of findings are kept there.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_VIEW_POWER_CUTS="${1:-4000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.View(PowerCut|Examination)Tests'
