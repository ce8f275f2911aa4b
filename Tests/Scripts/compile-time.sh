#!/bin/sh
# Measures how long the schemas of a plan take to compile.
# Usage: compile-time.sh [versions, default 10] [records of each, default 100]
# The first version declares every record. Each further one declares a new form of a tenth of them, with a
# rule for each, and keeps the rest unchanged. Prints the times of a debug and a release build of the schemas'
# module alone, of checking its types, and of the macros in that.
set -eu
cd "$(dirname "$0")/../.."
package=$(pwd)
versions="${1:-10}"
records="${2:-100}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/Sources/Schemas" "$folder/Sources/Base"
echo 'import Annals' >"$folder/Sources/Base/Base.swift"
cat >"$folder/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
  name: "Many", dependencies: [.package(path: "$package")],
  targets: [
    .target(name: "Base", dependencies: [.product(name: "Annals", package: "$(basename "$package")")]),
    .target(name: "Schemas", dependencies: [.product(name: "Annals", package: "$(basename "$package")")]),
  ])
END
awk -v versions="$versions" -v records="$records" -v folder="$folder/Sources/Schemas" 'BEGIN {
  renewed = int((records + 9) / 10)
  for (version = 1; version <= versions; version++) {
    file = folder "/V" version ".swift"
    print "import Annals\n@Schema(" version ", 0, 0) enum V" version " {" > file
    for (number = 0; number < records; number++) {
      # Each version declares another tenth again.
      anew = version == 1 || int(number / renewed) == (version - 2) % 10
      if (!anew) { print "  typealias Record" number " = V" version - 1 ".Record" number > file; continue }
      fields[number]++
      print "  @Record struct Record" number " {" > file
      print "    var title: String\n    var count: Int\n    var price: Double\n    var isOpen: Bool\n    var note: String?" > file
      for (field = 1; field < fields[number]; field++) print "    var added" field ": Int?" > file
      print "  }" > file
    }
    print "}" > file
    close(file)
  }
  file = folder "/Plan.swift"
  print "import Annals\nenum Plan: SchemaMigrationPlan {" > file
  print "  static var stages: MigrationChain<V1, V" versions "> {" > file
  for (version = 2; version <= versions; version++) {
    print "    MigrationStage.custom(fromVersion: V" version - 1 ".self, toVersion: V" version ".self) {" > file
    for (number = 0; number < records; number++) if (int(number / renewed) == (version - 2) % 10) {
      print "      Upcast(\\.record" number ", to: \\.record" number ") { old, origin in" > file
      print "        .init(title: old.title, count: old.count, price: old.price, isOpen: old.isOpen, note: old.note)" > file
      print "      }" > file
    }
    print "    }" > file
  }
  print "  }\n}" > file
}'
cd "$folder"
build() { swift build -j 2 -c "$1" --target "$2" >build.log 2>&1 || { grep -E 'error' build.log | head; exit 1; }; }
# The processor time of ended processes. Other work on the machine affects it less than the time by the clock.
processors() {
  times >times.log
  awk 'NR == 2 { split($1, user, /[ms]/); split($2, kernel, /[ms]/); print (user[1] + kernel[1]) * 60 + user[2] + kernel[2] }' times.log
}
# seconds WORK CLOCK: prints the time since CLOCK, and the processor time since its last count.
seconds() {
  processors >now
  awk -v work="$1" -v clock="$2" -v end="$(date +%s.%N)" -v used="$(cat used)" -v now="$(cat now)" \
    'BEGIN { printf "%s: %.1f s by the clock, %.1f s of processors\n", work, end - clock, now - used }'
}
for work in debug release; do
  build "$work" Base
  processors >used
  clock=$(date +%s.%N)
  build "$work" Schemas
  seconds "$work build" "$clock"
done
# The macros run in a process of their own, whose times a wrapper records.
modules=$(echo .build/*/debug/Modules)
tool=$(pwd)/$(echo .build/*/debug/AnnalsMacros-tool)
cat >plugin <<END
#!/bin/bash
TIMEFORMAT='%U %S'
{ time "$tool" "\$@" 2>&3; } 3>&2 2>>"$folder/plugin.log"
END
chmod +x plugin
processors >used
clock=$(date +%s.%N)
swiftc -typecheck -wmo -swift-version 6 -module-name Schemas -I "$modules" -load-plugin-executable "$folder/plugin#AnnalsMacros" \
  -Xcc "-fmodule-map-file=$(echo .build/*/debug/CAnnals.build/module.modulemap)" \
  -Xcc "-fmodule-map-file=$package/Sources/CLMDB/module.modulemap" Sources/Schemas/*.swift
seconds "type check" "$clock"
# The compiler does not wait for the macros to end.
sleep 1
echo "macros: $(awk '{ sum += $1 + $2 } END { printf "%.1f", sum }' plugin.log) s of processors"
