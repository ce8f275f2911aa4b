#!/bin/sh
# Cuts the power of migration passes, switches, a rollback and a removal at every moment.
# Usage: pass-powercuts.sh [images in all, default 5000] [seed of the first round]
# A round records two workloads: one whose passes wait for the disk, and one with appends during a pass that
# does not. It examines at most 1,250 images of each. ANNALS_KEEP=DIRECTORY keeps the images of findings
# there.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_PASS_POWER_CUTS="${1:-5000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.PassPowerCutTests'
