#!/bin/sh
# Writes the schemas and the plan of the telemetry tests again, from the versions in a schema file of the
# material.
# Usage: telemetry-schemas.sh [schema file]
# The renames themselves are not in the output: the tests read them from the schema file.
set -eu
cd "$(dirname "$0")/../.."
python3 - "${1:-../shared/data/otel-schema/1.44.0.json}" Tests/AnnalsStoreTests/Schema/Telemetry <<'SCRIPT'
import json, sys
versions = sorted(tuple(map(int, v.split("."))) for v in json.load(open(sys.argv[1]))["versions"])
records = ["ResourceSeen", "SpanEnded", "LogWritten", "Heartbeat"]
note = "// Written by Tests/Scripts/telemetry-schemas.sh.\n"
def name(v): return "Telemetry" + "_".join(map(str, v))
def case(r): return r[0].lower() + r[1:]
with open(sys.argv[2] + "/TelemetrySchemas.swift", "w") as out:
  out.write("import Annals\n\n" + note + "\n")
  before = None
  for v in versions:
    out.write("@Schema(%d, %d, %d) enum %s {\n" % (*v, name(v)))
    for r in records:
      kind = "TreeRecord, TelemetryRecord" if r != "Heartbeat" else "TreeRecord"
      out.write("  typealias %s = %s.%s\n" % (r, name(before), r) if before
        else "  struct %s: %s { var tree: CBOR }\n" % (r, kind))
    out.write("}\n")
    before = v
with open(sys.argv[2] + "/TelemetryPlan.swift", "w") as out:
  out.write("import Annals\n\n" + note)
  out.write("\n/// Every stage renames attributes as its version declares; what no rule takes is carried.\n")
  out.write("enum TelemetryPlan: SchemaMigrationPlan {\n")
  out.write("  static var stages: MigrationChain<%s, %s> {\n" % (name(versions[0]), name(versions[-1])))
  for a, b in zip(versions, versions[1:]):
    out.write("    MigrationStage.custom(fromVersion: %s.self, toVersion: %s.self) {\n" % (name(a), name(b)))
    for r in records[:-1]:
      out.write("      Upcast(\\.%s, to: \\.%s) { old, _ in old.renamed(in: %s.version) }\n" % (case(r), case(r), name(b)))
    out.write("    }\n")
  out.write("  }\n}\n")
SCRIPT
swift format --in-place --configuration .swift-format Tests/AnnalsStoreTests/Schema/Telemetry/TelemetrySchemas.swift \
  Tests/AnnalsStoreTests/Schema/Telemetry/TelemetryPlan.swift
