@Schema(1, 0, 0) enum OrdersV1 { @Record struct Placed { var total: Int; var country: String? } }
@Schema(2, 0, 0) enum OrdersV2 {
  @Record struct Placed { var cents: Int; var country: String?; var currency: String }
}
let stage = MigrationStage.custom(fromVersion: OrdersV1.self, toVersion: OrdersV2.self) {
// here
}
