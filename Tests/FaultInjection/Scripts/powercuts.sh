#!/bin/sh
# Cuts the power of recorded workloads at every moment.
# Usage: powercuts.sh [images in all, default 20000] [seed of the first round]
# A round records one workload three times: one caller, four callers at once, relaxed commits. It examines at
# most 3,000 images of each. Each recording prints its seed; a finding names moment and selection. Log ids and
# the interplay of tasks differ from run to run. ANNALS_KEEP=DIRECTORY keeps the images of findings there.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_POWER_CUTS="${1:-20000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.PowerCut'
