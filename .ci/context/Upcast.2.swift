@Schema(1, 0, 0) enum OrdersV1 { @Record struct Placed { var total: Int } }
@Schema(2, 0, 0) enum OrdersV2 {
  @Record struct Placed { var total: Int }
  @Record struct Refunded { var total: Int }
}
let stage = MigrationStage.custom(fromVersion: OrdersV1.self, toVersion: OrdersV2.self) {
// here
}
