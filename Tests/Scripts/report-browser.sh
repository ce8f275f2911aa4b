#!/usr/bin/env bash
# Opens the pages of `report` in headless Chromium: hostile names stay text, light and dark differ, a narrow window
# does not scroll sideways, and a page of --watch loads itself again. With --update it also writes the pictures of
# docs/seeing.md. Needs a debug build, chromium and python3; with --update also pngquant.
#
# usage: report-browser.sh [--update]
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$PWD/.build/debug
docs=$PWD/docs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
browse() {
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --allow-file-access-from-files \
    --user-data-dir="$work/profile" "$@" 2>>"$work/browser.log"
}
fail() { echo "report-browser: $*" >&2; exit 1; }

echo '== a store with hostile names, three versions and a year of events'
python3 - > lines.jsonl <<'PY'
import json, random
random.seed(11)
hostile = "<script>document.title='broken'</script>"
for n in range(30000):
    stream = hostile if n % 50 == 0 else random.choice(["order-%d" % random.randrange(400), "customer-%d" % random.randrange(40)])
    version = "1.0.0" if n < 12000 else random.choice(["1.0.0", "2.0.0"]) if n < 20000 else "2.1.0"
    kind = random.choices(["OrderPlaced", "OrderPaid", "OrderShipped", "AddressChanged"], [5, 4, 4, 1])[0]
    day = int(n / 30000 * 360) + random.randrange(5)
    print(json.dumps({"stream": stream, "type": kind, "version": version,
        "time": "2025-%02d-%02dT%02d:00:00" % (day // 31 % 12 + 1, day % 28 + 1, random.randrange(24)),
        "data": {"number": n, "note": "x" * random.randrange(80 if version < "2" else 200)}}))
PY
"$bin/annals" import shop.annals lines.jsonl > import.txt
"$bin/annals" report shop.annals --verify -o shop.html
browse --dump-dom "file://$work/shop.html" > dom.html
grep -q '&lt;script&gt;' dom.html || fail 'the hostile name is not shown'
! grep -q '<script' dom.html || fail 'the page has a script'
grep -q '<title>shop.annals - Annals</title>' dom.html || fail 'the title was changed'

echo '== a chain of stages'
git init -q repository && (
  cd repository
  export GIT_AUTHOR_NAME='Ann Author' GIT_AUTHOR_EMAIL=ann@example.org GIT_COMMITTER_NAME='Ann Author' \
    GIT_COMMITTER_EMAIL=ann@example.org GIT_AUTHOR_DATE='2025-03-01T12:00:00Z' GIT_COMMITTER_DATE='2025-03-01T12:00:00Z'
  echo one > notes.txt && git add . && git commit -qm 'Begin the notes'
  echo two > more.txt && echo more >> notes.txt && git add . && git commit -qm $'Add more\n\nThere was more to say.'
)
"$bin/githistory" repository --store history.annals > history.txt
"$bin/githistory-maintenance" report history.annals --entry 2 -o history.html
browse --dump-dom "file://$work/history.html" | grep -q 'class="added"' || fail 'the chain marks no added field'

# The colour of the first pixel of a PNG: for it alone every filter leaves the bytes as they are.
pixel() {
  python3 - "$1" <<'PY'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()[8:]
chunks = b""
while data:
    length, kind = struct.unpack(">I4s", data[:8])
    if kind == b"IDAT": chunks += data[8:8 + length]
    data = data[12 + length:]
print(zlib.decompress(chunks)[1:4].hex())
PY
}
echo '== light and dark'
browse --window-size=1000,1120 --screenshot=light.png "file://$work/shop.html"
# The chain is the last section of its page. A wrapper shows the end of it.
cat > end.html <<HTML
<body style="margin:0;overflow:hidden"><iframe id=f src="history.html" style="border:0;width:1000px;height:900px"></iframe>
<script>f.onload = () => f.contentWindow.scrollTo(0, 1e6)</script>
HTML
browse --blink-settings=preferredColorScheme=0 --window-size=1000,860 --virtual-time-budget=3000 \
  --screenshot=dark.png "file://$work/end.html"
[ "$(pixel light.png)" = fbfbf9 ] || fail "light is $(pixel light.png)"
[ "$(pixel dark.png)" = 14171a ] || fail "dark is $(pixel dark.png)"

echo '== narrow'
for page in shop history; do
  cat > narrow.html <<HTML
<body style="margin:0"><iframe id=f src="$page.html" style="border:0;width:380px;height:900px"></iframe>
<script>f.onload = () => { document.title = 'width ' + f.contentDocument.documentElement.scrollWidth }</script>
HTML
  browse --virtual-time-budget=3000 --dump-dom "file://$work/narrow.html" > narrow.dom
  grep -q '<title>width 380</title>' narrow.dom || fail "$page scrolls sideways: $(grep -o '<title>[^<]*' narrow.dom)"
done
cat > narrow.html <<HTML
<body style="margin:0;overflow:hidden"><iframe src="shop.html" style="border:0;width:380px;height:900px"></iframe>
HTML
browse --window-size=500,900 --virtual-time-budget=3000 --screenshot=wide.png "file://$work/narrow.html"

echo '== watch'
"$bin/annals" report shop.annals -o watched.html --watch --interval 1 & watcher=$!
for try in $(seq 100); do [ -e watched.html ] && break; sleep 0.1; done
cat > watch.html <<HTML
<body><iframe id=f src="watched.html"></iframe>
<script>let n = 0; f.onload = () => { n += 1; document.title = 'loads ' + n }</script>
HTML
first=$(stat -c %i watched.html)
browse --virtual-time-budget=6000 --dump-dom "file://$work/watch.html" > watch.dom
loads=$(grep -o '<title>loads [0-9]*' watch.dom | grep -o '[0-9]*$')
[ "${loads:-0}" -ge 3 ] || fail "the page loaded itself ${loads:-0} times"
for try in $(seq 50); do
  [ "$(tail -c 8 watched.html)" = '</html>' ] || fail 'a page was seen half written'
  sleep 0.05
done
[ "$(stat -c %i watched.html)" != "$first" ] || fail 'the page was not written again'
kill -INT $watcher
wait $watcher || fail "the watch ended with status $?"
[ -z "$(ls -A | grep watched.html.)" ] || fail 'the watch left a file'

if [ "${1:-}" = --update ]; then
  for name in light dark; do pngquant --force --output "$docs/report-$name.png" 48 $name.png; done
  python3 - <<'PY'
# The narrow page is in a window of the browser's least width: the rest is cut off.
import struct, zlib
data = open("wide.png", "rb").read()
width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
size = {2: 3, 6: 4}[colour]
rest, packed = data[8:], b""
while rest:
    length, kind = struct.unpack(">I4s", rest[:8])
    if kind == b"IDAT": packed += rest[8:8 + length]
    rest = rest[12 + length:]
raw, stride, rows, above = zlib.decompress(packed), width * size, [], bytearray(width * size)
for y in range(height):
    kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
    for x in range(stride):
        a, b, c = row[x - size] if x >= size else 0, above[x], above[x - size] if x >= size else 0
        p = a + b - c
        near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        row[x] = (row[x] + [0, a, b, (a + b) // 2, near][kind]) & 255
    rows.append(b"\0" + bytes(row[:380 * size])); above = row
def chunk(kind, body): return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
open("narrow.png", "wb").write(data[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", 380, height, depth, colour, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) + chunk(b"IEND", b""))
PY
  pngquant --force --output "$docs/report-narrow.png" 48 narrow.png
  ls -l "$docs"/report-*.png
fi
echo 'report-browser: all pages are as they should be'
