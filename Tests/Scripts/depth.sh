#!/bin/sh
# Measures reads in the depth of one long stream.
# Usage: depth.sh [entries, default 1000000]
set -eu
cd "$(dirname "$0")/../.."
ANNALS_DEPTH="${1:-1000000}" exec swift test --filter 'AnnalsTests\.EventLogDepthTests'
