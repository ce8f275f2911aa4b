#!/bin/sh
# Cuts the power of recorded workloads of tagged events, appended under conditions, at every moment.
# Usage: tag-powercuts.sh [images in all, default 8000] [seed of the first round]
# A round records one workload four times: one caller, four callers at once, relaxed commits, with passes. It
# examines at most 2,000 images of each. Each recording prints its seed; a finding names moment and selection.
set -eu
cd "$(dirname "$0")/../../.."
export ANNALS_TAG_POWER_CUTS="${1:-8000}" ANNALS_SEED="${2:-1}"
exec swift test --filter '^FaultInjectionTests\.TagPowerCutTests'
