#!/bin/sh
# Kills a process at each of its system calls while it creates, appends and opens again.
# Usage: syscall-kills.sh [points, default all] [seed of the order]
set -eu
cd "$(dirname "$0")/../../.."
ANNALS_SYSCALLS="${1:-1000000}" ANNALS_SEED="${2:-1}" exec swift test --filter '^FaultInjectionTests\.SyscallKillTests'
