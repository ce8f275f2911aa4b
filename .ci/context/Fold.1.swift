@Schema(1, 0, 0) enum CricketV1 { @Record struct Delivered { var over: Int; var runs: Int } }
@Schema(2, 0, 0) enum CricketV2 { @Record struct OverBowled { var over: Int; var runs: Int } }
struct Over {
  var number = 0
  var runs = 0
  mutating func add(_ ball: CricketV1.Delivered) {}
}
let stage = MigrationStage.custom(fromVersion: CricketV1.self, toVersion: CricketV2.self) {
// here
}
