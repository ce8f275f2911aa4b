#!/bin/sh
# Damages copies of a store.
# Usage: flips.sh [flips, default 2000] [seed of the first round]
# Half of the flips hit any byte, half the headers of pages. For every 200 flips it also makes 20 truncations,
# zeroed pages, swapped pages and torn sectors each. Prints at the end the outcomes of each kind of damage,
# with their counts.
set -eu
cd "$(dirname "$0")/../../.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
ANNALS_FLIPS="${1:-2000}" ANNALS_SEED="${2:-1}" swift test --filter 'AnnalsTests\.SpoiltFileTests' >"$log" 2>&1 ||
  { grep -E '✘|ended at' "$log"; exit 1; }
awk -F'[][]' '/, seed [0-9]+: \[/ {
  kind = $1; sub(/, seed.*/, "", kind)
  count = split($2, parts, ", ")
  for (i = 1; i <= count; i++) { gsub(/"/, "", parts[i]); split(parts[i], words, " "); sum[kind " " words[1]] += words[2] }
} END { for (key in sum) print key, sum[key] }' "$log" | sort
