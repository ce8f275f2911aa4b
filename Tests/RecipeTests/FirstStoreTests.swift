import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum ShopV1 {
  @Record struct Placed: Equatable {
    var lines: [String]
    var total: Int
  }
  @Record struct Shipped: Equatable { var parcel: String }
}

enum FirstShopPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ShopV1, ShopV1> {}
}

@Schema(2, 0, 0) enum ShopV2 {
  typealias Shipped = ShopV1.Shipped
  @Record struct Placed: Equatable {
    var lines: [String]
    var total: Int
    var currency: String
  }
}

enum ShopPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ShopV1, ShopV2> {
    MigrationStage.custom(fromVersion: ShopV1.self, toVersion: ShopV2.self) {
      Upcast(\.placed, to: \.placed) { old, origin in
        .init(lines: old.lines, total: old.total, currency: "EUR")
      }
    }
  }
}

typealias Placed = ShopV2.Placed

/// The first release of a program.
func sellTea(at url: URL) async throws {
  let store = try EventStore(at: url, plan: FirstShopPlan.self)
  try await store.append([.placed(.init(lines: ["tea"], total: 250))], to: "order-42")
}

/// The second release of it.
func ordersInEuros(at url: URL) async throws -> [Placed] {
  let store = try EventStore(at: url, plan: ShopPlan.self)
  var orders: [Placed] = []
  for try await entry in store.entries(in: "order-42") {
    switch entry.event {
    case .placed(let order): orders.append(order)
    case .shipped: break
    }
  }
  return orders
}

extension ShopV2.Event: Equatable {}

@Suite struct FirstStoreTests {
  @Test func `the second release reads the events of the first one`() async throws {
    let place = try TemporaryStore()
    try await sellTea(at: place.url)
    #expect(try await ordersInEuros(at: place.url) == [Placed(lines: ["tea"], total: 250, currency: "EUR")])
  }
}
