@Schema(1, 0, 0) enum DiaryV1 {
  @Record struct WeightLogged { var pounds: Double }
}
@Schema(2, 0, 0, .bridge) enum DiaryV2 {
  @Record struct WeightLogged { var kilograms: Double; var note: String? }
}
let stage = MigrationStage.custom(fromVersion: DiaryV1.self, toVersion: DiaryV2.self) {
  Upcast(\.weightLogged, to: \.weightLogged) { old, _ in .init(kilograms: old.pounds * 0.45359237, note: nil) }
// here
}
