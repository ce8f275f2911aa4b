@Schema(1, 0, 0) enum OrdersV1 {
  @Value struct Line { var title: String }
  @Record struct Placed { var lines: [Line] }
}
@Schema(2, 0, 0) enum OrdersV2 {
  @Value struct Line { var title: String; var discount: Int }
  @Record struct Placed { var lines: [Line] }
}
let stage = MigrationStage.lightweight(fromVersion: OrdersV1.self, toVersion: OrdersV2.self) {
// here
}
