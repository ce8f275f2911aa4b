#!/bin/sh
# Kills processes that attach, append, erase and remove unused contents at random moments.
# Usage: attachment-kills.sh [times, default 1000] [seed of the first round]
# It kills one process, and as often two that attach the same contents. Ten times are one round on one store.
# Each round prints its seed.
set -eu
cd "$(dirname "$0")/../../.."
export ANNALS_ATTACHMENT_KILLS="${1:-1000}" ANNALS_SEED="${2:-1}"
exec swift test --filter '^FaultInjectionTests\.AttachmentKillTests'
