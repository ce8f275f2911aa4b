#!/bin/sh
# Kills a process that attaches, appends, erases and removes unused contents at random moments.
# Usage: attachment-kills.sh [kills in all, default 1000] [seed of the first round]
# Ten kills are one round on one store. Each round prints its seed.
set -eu
cd "$(dirname "$0")/../../.."
export ANNALS_ATTACHMENT_KILLS="${1:-1000}" ANNALS_SEED="${2:-1}"
exec swift test --filter '^FaultInjectionTests\.AttachmentKillTests'
