#!/bin/sh
# Cuts the power of migration passes, switches, a rollback and a removal at every moment: pass-powercuts.sh [images in all, default 5000] [seed of the first round].
# A round records two workloads, one whose passes wait for the disk and one with appends beside a pass that does not; at most 1,250 images of each are
# looked at. With ANNALS_KEEP=DIRECTORY the images of findings are kept there.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_PASS_POWER_CUTS="${1:-5000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.PassPowerCutTests'
