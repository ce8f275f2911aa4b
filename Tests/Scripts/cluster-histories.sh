#!/bin/sh
# Runs random histories of a cluster under faults, and has each judged from outside.
#
# Usage: cluster-histories.sh DIRECTORY [histories, default 200] [seconds with faults each, default 12]
#
# Each history has a directory in DIRECTORY, named after its seed. One that is there with its verdict is not run
# again, so the script goes on where it was interrupted. The servers are those of `nats-server`, or of the program
# that ANNALS_NATS_SERVER names. A history with faults keeps the files of its servers and machines.
# ANNALS_SEED is the first seed, 1 by default: several runs at once take different ones. ANNALS_TESTS names the
# tests that are built, for example in release; without it they are built.
set -eu
[ $# -ge 1 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 64; }
mkdir -p "$1"
records="$(cd "$1" && pwd)"
histories="${2:-200}"
cd "$(dirname "$0")/../.."
bundle="${ANNALS_TESTS:-}"
if [ -z "$bundle" ]; then
  swift build --build-tests
  bundle=.build/debug/AnnalsPackageTests.xctest
fi
seed="${ANNALS_SEED:-1}"
last=$((seed + histories - 1))
while [ "$seed" -le "$last" ]; do
  record="$records/seed-$seed"
  if [ ! -e "$record/verdict" ]; then
    rm -rf "$record"
    mkdir -p "$record"
    ANNALS_SEED="$seed" ANNALS_CLUSTER_SECONDS="${3:-12}" ANNALS_CLUSTER_RECORDS="$records" \
      "$bundle" --testing-library swift-testing --no-parallel --filter ClusterFaultTests \
      > "$record/output" 2>&1 || echo "seed $seed failed: see $record/output"
    if [ -e "$record/history.jsonl" ]; then
      Tests/Scripts/judge-histories.py "$record" > "$record/verdict.new" || true
    else
      echo "$record: no history" > "$record/verdict.new"
    fi
    mv "$record/verdict.new" "$record/verdict"
  fi
  seed=$((seed + 1))
done
if grep -lE 'recorded an issue|✘' "$records"/seed-*/output; then
  echo 'these histories failed by the judge of the tests'
  failed=1
fi
Tests/Scripts/judge-histories.py "$records"/seed-* || failed=1
exit "${failed:-0}"
