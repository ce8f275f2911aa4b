#!/bin/sh
# Cuts the power of views at every moment: while they are built, follow, switch, and start from older rows.
# Usage: view-powercuts.sh [images in all, default 4000] [seed of the first round]
# A round records one workload twice, with full and with relaxed commits of the log. It examines at most 1,000
# images of each, and up to 400 of second cuts. ANNALS_KEEP=DIRECTORY keeps the images of findings there.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_VIEW_POWER_CUTS="${1:-4000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.View(PowerCut|Examination)Tests'
