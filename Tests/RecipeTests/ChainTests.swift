import Annals
import Testing

@Schema(1, 0, 0) enum OrdersV1 {
  @Record struct Placed: Equatable { var total: Int32 }
  @Record struct Shipped: Equatable { var parcel: String }
}

@Schema(1, 1, 0) enum OrdersV2 {
  typealias Shipped = OrdersV1.Shipped
  @Record struct Placed: Equatable {
    var total: Int64
    var note: String?
  }
}

@Schema(2, 0, 0) enum OrdersV3 {
  typealias Shipped = OrdersV2.Shipped
  @Record struct Placed: Equatable {
    var total: Int64
    var currency: String
    var note: String?
  }
}

@Schema(2, 1, 0) enum OrdersV4 {
  typealias Shipped = OrdersV3.Shipped
  @Record struct Placed: Equatable {
    @Field(originalName: "total") var cents: Int64
    var currency: String
    var note: String?
  }
}

enum OrderPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OrdersV1, OrdersV4> {
    MigrationStage.lightweight(fromVersion: OrdersV1.self, toVersion: OrdersV2.self)
    MigrationStage.custom(fromVersion: OrdersV2.self, toVersion: OrdersV3.self) {
      Upcast(\.placed, to: \.placed) { old, _ in
        .init(total: old.total, currency: "EUR", note: old.note)
      }
    }
    MigrationStage.lightweight(fromVersion: OrdersV3.self, toVersion: OrdersV4.self)
  }
}

extension OrdersV4.Event: Equatable {}

@Suite struct ChainTests {
  // Promise P26.
  @Test func `users who skip versions end where those end who skip none`() async throws {
    let place = try TemporaryStore()
    // Opened while the store is empty: programs of four releases that write side by side.
    let first = try EventStore(at: place.url, plan: OneSchema<OrdersV1>.self)
    let second = try EventStore(at: place.url, plan: OneSchema<OrdersV2>.self)
    let third = try EventStore(at: place.url, plan: OneSchema<OrdersV3>.self)
    let fourth = try EventStore(at: place.url, plan: OrderPlan.self)
    try await first.append([.placed(.init(total: 1)), .shipped(.init(parcel: "p-1"))], to: "all")
    try await second.append([.placed(.init(total: 2, note: "two"))], to: "all")
    try await third.append([.placed(.init(total: 3, currency: "CHF", note: nil))], to: "all")
    try await fourth.append([.placed(.init(cents: 4, currency: "NOK", note: "four"))], to: "all")
    #expect(
      try place.read(OrderPlan.self) == [
        .placed(.init(cents: 1, currency: "EUR", note: nil)), .shipped(.init(parcel: "p-1")),
        .placed(.init(cents: 2, currency: "EUR", note: "two")),
        .placed(.init(cents: 3, currency: "CHF", note: nil)),
        .placed(.init(cents: 4, currency: "NOK", note: "four")),
      ])
  }

  // Promise P10.
  @Test func `several versions that are new at once are all gone through`() async throws {
    let place = try TemporaryStore()
    try await place.write([.placed(.init(total: 7))], as: OrdersV1.self)
    #expect(
      try place.read(OrderPlan.self) == [.placed(.init(cents: 7, currency: "EUR", note: nil))])
  }

  @Test func `a record kept with a typealias is the same type in every version`() {
    #expect(OrdersV4.Shipped.self == OrdersV1.Shipped.self)
    #expect(OrdersV4.Event.records.map(\.caseName) == ["shipped", "placed"])
  }

  // Promise P24.
  @Test func `events keep the version that they were stored under, each counted by itself`() async throws {
    let place = try TemporaryStore()
    try await place.write([.placed(.init(total: 1)), .placed(.init(total: 2))], as: OrdersV1.self)
    try await EventStore(at: place.url, plan: OrderPlan.self).append(
      [.placed(.init(cents: 3, currency: "EUR", note: nil))], to: "all")
    let census = try EventLog.inspect(place.url).census.map { "\($0.type) \($0.count)" }
    #expect(census == ["Placed 2", "Placed 1"])
  }
}
