#!/usr/bin/env bash
# Measures how Annals grows: logs of 1,000,000 entries, ten times as many, and so on, in up to 1,000,000 streams.
#
# usage: Benchmarks/growth.sh LARGEST [FIGURES [DIRECTORY]]
#
#   LARGEST    the most entries: 1000000, 10000000, 100000000 or 1000000000
#   FIGURES    where FIGURES.jsonl (one JSON object a line) and FIGURES.svg are written; growth by default. Figures
#              that the first file has already are kept, and their sizes are not measured again
#   DIRECTORY  where the logs are made, and removed afterwards; the system's directory for temporary files by default
#
# A log of 100,000,000 entries takes about a quarter of an hour on two cores. ANNALS_BENCH names another executable.
set -euo pipefail
usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2; exit 64; }
[ $# -ge 1 ] && [ $# -le 3 ] || usage
[[ $1 =~ ^10{6,9}$ ]] || usage
largest=$1
figures=${2:-growth}
bench=${ANNALS_BENCH:-$(dirname "$0")/.build/release/annals-bench}
[ -x "$bench" ] || { echo "there is no $bench: swift build -c release --package-path Benchmarks" >&2; exit 66; }
place=$(mktemp -d "${3:-${TMPDIR:-/tmp}}/annals-growth.XXXXXX")
trap 'rm -rf "$place"' EXIT

# The log, and the one that a pass makes of it, with a quarter to spare.
needed=$((largest / 1024 * 520))
free=$(df -Pk "$place" | awk 'NR == 2 { print $4 }')
if [ "$free" -lt "$needed" ]; then
  echo "$largest entries need $((needed / 1024)) MiB in $(dirname "$place"), and $((free / 1024)) MiB are free" >&2
  exit 69
fi

for ((entries = 1000000; entries <= largest; entries *= 10)); do
  if [ -f "$figures.jsonl" ] && grep -q "\"entries\":$entries," "$figures.jsonl"; then continue; fi
  "$bench" growth "$entries" --repeat $((entries < 100000000 ? 3 : 1)) --json "$figures.jsonl" --directory "$place"
done
if [ "$(grep -o '"entries":[0-9]*' "$figures.jsonl" | sort -u | wc -l)" -gt 1 ]; then
  "$bench" chart "$figures.jsonl" "$figures.svg"
fi
