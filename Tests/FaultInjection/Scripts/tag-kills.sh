#!/bin/sh
# Kills processes that append tagged events under conditions while another compacts the log.
# Usage: tag-kills.sh [kills in all, default 1200] [seed of the first round]
# Three writers and one compactor share a store. Sixty kills are one round on one store. Each round prints its
# seed and its counts.
set -eu
cd "$(dirname "$0")/../../.."
export ANNALS_TAG_KILLS="${1:-1200}" ANNALS_SEED="${2:-1}"
exec swift test --filter '^FaultInjectionTests\.TagKillTests'
