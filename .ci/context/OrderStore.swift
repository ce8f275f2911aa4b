// from Orders
enum OrderPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OrdersV1, OrdersV2> {
    MigrationStage.custom(fromVersion: OrdersV1.self, toVersion: OrdersV2.self) {
      Upcast(\.placed, to: \.placed) { old, origin in .init(total: old.total, currency: "EUR") }
    }
  }
}
let store = try EventStore(at: URL(filePath: "orders.annals"), plan: OrderPlan.self)
let log = store.log
