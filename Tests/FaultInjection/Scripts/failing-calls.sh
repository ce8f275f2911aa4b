#!/bin/sh
# Lets one system call after another fail, and one request of liblmdb for memory after another: failing-calls.sh [one in so many, default 1].
# Each call by itself, once and from there on; as an input/output error, a full disk, an interruption, a short write, and done but
# reported as failed. Prints for each how many runs met the fault and what the program was told.
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_FAULTS_EVERY="${1:-1}" exec swift test --filter '^FaultInjectionTests\.FailingRequestTests'
