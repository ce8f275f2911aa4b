#!/bin/sh
# Cuts the power of workloads that make, rotate and drop keys of personal fields, at every moment.
# Usage: key-powercuts.sh [images in all, default 10000] [seed of the first round]
# A round records one workload, and examines at most 1,000 of its images. Each recording prints its seed; a
# finding names moment and selection. ANNALS_KEEP=DIRECTORY keeps the images of findings there. It needs
# libsodium.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_KEY_POWER_CUTS="${1:-10000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.KeyPowerCut'
