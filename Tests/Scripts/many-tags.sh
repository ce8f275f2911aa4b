#!/bin/sh
# Appends, reads, verifies and compacts a log with many tags, and one with many events of one tag.
# Usage: many-tags.sh [tags, default 1100000] [events with one tag, default 100000]
set -eu
cd "$(dirname "$0")/../.."
ANNALS_TAGS="${1:-1100000}" ANNALS_TAG_EVENTS="${2:-100000}" \
  exec swift test --filter 'AnnalsTagTests\.ManyTagsTests'
