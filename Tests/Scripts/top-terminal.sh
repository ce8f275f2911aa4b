#!/usr/bin/env bash
# Runs `annals top` in tmux: it shows the numbers, redraws in place, follows the size of the window, ends on q, on
# Ctrl-C and on a signal, and leaves the terminal as it was. Needs a debug build and tmux.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$PWD/.build/debug
work=$(mktemp -d)
server=annals-top-$$
trap 'tmux -L $server kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
fail() { echo "top-terminal: $*" >&2; tmux -L $server capture-pane -p -t top >&2 || true; exit 1; }
keys() { tmux -L $server send-keys -t top "$@"; }
screen() { tmux -L $server capture-pane -p -t top; }
# Waits until the screen has a text.
await() {
  for try in $(seq 100); do screen | grep -q -- "$1" && return; sleep 0.1; done
  fail "the screen never had '$1'"
}
lines() { for n in $(seq "$1"); do echo "{\"stream\":\"order-$n\",\"type\":\"Placed\",\"data\":{\"n\":$n}}"; done; }

lines 100 | "$bin/annals" import shop.annals /dev/stdin > import.txt
tmux -L $server -f /dev/null new-session -d -s top -x 100 -y 20 'env PS1="ready> " sh'
await 'ready>'
keys "stty -g > before; echo earlier text" Enter
await 'earlier text'

echo '== numbers, and rates while entries are stored'
tmux -L $server pipe-pane -t top -o "cat > $work/bytes"
keys "$bin/annals top shop.annals" Enter
await 'shop.annals  generation 1'
screen | grep -q 'earlier text' && fail 'the display is not on a screen of its own'
lines 500 | "$bin/annals" import shop.annals /dev/stdin > import.txt
await '^entries   600 .* [1-9][0-9]* entries/s'
await ' 0 entries/s'

echo '== another size of the window'
tmux -L $server resize-window -t top -x 40 -y 6
sleep 1.5
[ "$(screen | wc -L)" -le 40 ] || fail 'a line is wider than the window'
screen | grep -q 'generation 1' || fail 'the head is missing in a small window'
tmux -L $server resize-window -t top -x 100 -y 20
await 'no views and no consumers'

echo '== q ends it, and the terminal is as it was'
keys q
await 'earlier text'
keys 'stty -g > after; echo "status $?"' Enter
await 'status 0'
cmp before after || fail 'the settings of the terminal changed'
keys 'echo visible' Enter
await '^visible'
tmux -L $server pipe-pane -t top
[ "$(grep -c "$(printf '\033\\[2J')" bytes)" -le 1 ] || fail 'a frame erases the screen before it draws'
[ "$(grep -o "$(printf '\033\\[?2026h')" bytes | wc -l)" -ge 5 ] || fail 'there were too few frames'

for way in C-c TERM; do
  echo "== $way ends it too"
  keys "clear; $bin/annals top shop.annals; echo \"ended with \$?\"" Enter
  await 'generation 1'
  if [ $way = TERM ]; then
    # Only the process that runs in this pane.
    for child in $(pgrep -P "$(tmux -L $server display-message -p -t top '#{pane_pid}')"); do kill -TERM "$child"; done
  else
    keys C-c
  fi
  await '^ended with 0'
  keys 'stty -g > after' Enter
  sleep 0.3
  cmp before after || fail "the settings of the terminal changed after $way"
done

echo '== without a terminal'
"$bin/annals" top shop.annals > frames.txt < /dev/null & top=$!
for try in $(seq 100); do [ "$(grep -c '^entries' frames.txt)" -ge 2 ] && break; sleep 0.1; done
kill -INT $top
wait $top || fail "it ended with status $?"
grep -q "$(printf '\033')" frames.txt && fail 'a frame has control sequences'
[ "$(grep -c '^entries   600 ' frames.txt)" -ge 2 ] || fail 'there were no two frames'
"$bin/annals" top --once shop.annals | grep -q '0 entries/s' || fail '--once has no rate'
echo 'top-terminal: the display is as it should be'
