import AnnalsCoding
import AnnalsSchema
import AnnalsShapes

/// The sample domain: a shop's orders, in three versions.
@Schema(1, 0, 0) enum OrdersV1 {
  struct Placed: Record, Codable, Equatable {
    var lines: [String]
    var total: Int
  }
  struct Shipped: Record, Codable, Equatable { var parcel: String }
  struct Pinged: Record, Codable, Equatable { var number: Int }
}

/// Orders are placed line by line, and pings are no longer kept.
@Schema(2, 0, 0) enum OrdersV2 {
  typealias Shipped = OrdersV1.Shipped
  struct LineAdded: Record, Codable, Equatable { var text: String }
  struct Priced: Record, Codable, Equatable { var total: Int }
}

/// Each line becomes its words.
@Schema(3, 0, 0) enum OrdersV3 {
  typealias Shipped = OrdersV2.Shipped
  typealias Priced = OrdersV2.Priced
  struct WordAdded: Record, Codable, Equatable { var word: String }
}

/// The stages that lead there.
enum OrderPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OrdersV1, OrdersV3> {
    MigrationStage.custom(fromVersion: OrdersV1.self, toVersion: OrdersV2.self) {
      Split(\.placed, into: [\.lineAdded, \.priced]) { old, origin in
        [.priced(.init(total: old.total))] + old.lines.map { .lineAdded(.init(text: $0)) }
      }
      Drop(\.pinged, reason: "noise")
    }
    MigrationStage.custom(fromVersion: OrdersV2.self, toVersion: OrdersV3.self) {
      Split(\.lineAdded, into: [\.wordAdded]) { old, origin in
        old.text.split(separator: " ").map { .wordAdded(.init(word: String($0))) }
      }
    }
  }
}

extension OrdersV1.Event: Equatable {}
extension OrdersV3.Event: Equatable {}
