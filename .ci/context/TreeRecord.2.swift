@Schema(1, 0, 0) enum TracesV1 { struct SpanEnded: TreeRecord { var tree: CBOR } }
@Schema(2, 0, 0) enum TracesV2 { struct SpanEnded: TreeRecord { var tree: CBOR } }
@Sendable func renamed(_ attributes: CBOR) -> CBOR { attributes }
let stage = MigrationStage.custom(fromVersion: TracesV1.self, toVersion: TracesV2.self) {
// here
}
