#!/bin/sh
# Changes payloads of every field type and gives them to their decoders.
# Usage: fields.sh [executions, default 10000000] [first seed]
# Each round of 250,000 prints its seed before it begins, so that a trap can be run again from the last one.
set -eu
cd "$(dirname "$0")/../../.."
swift build -c release --product FaultTool >/dev/null
exec "$(swift build -c release --show-bin-path)/FaultTool" fields "${1:-10000000}" "${2:-1}"
