#!/bin/sh
# Makes system calls, and liblmdb's requests for memory, fail one after another.
# Usage: failing-calls.sh [one in so many, default 1]
# Each call fails by itself, once and from there on: with an input/output error, a full disk, an interruption,
# a short write, and as done but reported as failed. Prints for each the number of runs that met the fault,
# and the errors that the program got.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_FAULTS_EVERY="${1:-1}" exec swift test --filter '^FaultInjectionTests\.FailingRequestTests'
