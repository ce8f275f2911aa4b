// from Orders
let stage = MigrationStage.custom(fromVersion: OrdersV1.self, toVersion: OrdersV2.self) {
// here
}
