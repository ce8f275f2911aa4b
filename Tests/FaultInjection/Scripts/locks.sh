#!/bin/sh
# Removes, replaces and cuts off lock files while processes write.
# Usage: locks.sh [rounds, default 200] [seed of the first round]
# Each round has a store of its own, and prints its seed, the attack and the errors of the writers.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_LOCKS="${1:-200}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.LockFileTests'
