#!/bin/sh
# Cuts the power of recorded workloads at every moment: powercuts.sh [images in all, default 20000] [seed of the first round].
# A round records one workload three times: one caller, four callers at once, relaxed commits; at most 3,000 images of each
# are looked at. Each recording prints its seed; a finding says moment and selection. Log ids and the interplay of tasks differ from
# run to run; with ANNALS_KEEP=DIRECTORY the images of findings are kept there.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_POWER_CUTS="${1:-20000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.PowerCut'
