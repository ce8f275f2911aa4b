import Annals
import Foundation

extension MemoryKeys {
  /// Opens a store with these keys, and activates the plan.
  func open<Plan: SchemaMigrationPlan>(_ plan: Plan.Type, at url: URL) throws -> EventStore<Plan> {
    var options = options
    options.activating = true
    return try EventStore(at: url, plan: plan, options: options)
  }

  /// Returns all events of a store, oldest first.
  static func events<Plan: SchemaMigrationPlan>(_ store: EventStore<Plan>) throws -> [Plan.Current.Event] {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [Plan.Current.Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }
}

/// Trades between two people, of whom one is to be forgotten.
@Schema(1, 0, 0) enum TradesV1 {
  @Record struct Trade: Equatable {
    var buyer: String
    var seller: String
    @Field(personal: "buyer", erased: "gone") var street: String
    @Field(personal: "seller", erased: "gone") var phone: String
    var remark: String
    @Field(personal: "buyer") var title: String?
  }
}

/// The phone belongs to the other person.
@Schema(2, 0, 0) enum TradesOfBuyers {
  @Record struct Trade: Equatable {
    var buyer: String
    var seller: String
    @Field(personal: "buyer", erased: "none") var street: String
    @Field(personal: "buyer", erased: "none") var phone: String
    var remark: String
    @Field(personal: "buyer") var title: String?
  }
}

/// A plain field becomes personal, and an optional one required.
@Schema(2, 0, 0) enum TradesWithRemarks {
  @Record struct Trade: Equatable {
    var buyer: String
    var seller: String
    @Field(personal: "buyer", erased: "none") var street: String
    @Field(personal: "seller", erased: "none") var phone: String
    @Field(personal: "buyer", erased: "none") var remark: String
    @Field(personal: "buyer", erased: "none") var title: String
  }
}

/// Each trade becomes two events.
@Schema(2, 0, 0) enum TradesInParts {
  @Record struct Bought: Equatable {
    var buyer: String
    @Field(personal: "buyer", erased: "none") var text: String
  }

  @Record struct Sold: Equatable {
    var seller: String
    @Field(personal: "seller", erased: "none") var text: String
  }
}

/// The trades of a stream become one event.
@Schema(2, 0, 0) enum TradesAsOne {
  @Record struct Trades: Equatable {
    var buyer: String
    @Field(personal: "buyer", erased: "none") var streets: String
    @Field(personal: "buyer", erased: "none") var first: String
  }
}

extension TradesV1.Event: Equatable {}
extension TradesOfBuyers.Event: Equatable {}
extension TradesWithRemarks.Event: Equatable {}
extension TradesInParts.Event: Equatable {}
extension TradesAsOne.Event: Equatable {}

enum TradesPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TradesV1, TradesV1> {}
}

enum LightweightTrades: SchemaMigrationPlan {
  static var stages: MigrationChain<TradesV1, TradesOfBuyers> {
    MigrationStage.lightweight(fromVersion: TradesV1.self, toVersion: TradesOfBuyers.self)
  }
}

enum UpcastTrades: SchemaMigrationPlan {
  static var stages: MigrationChain<TradesV1, TradesOfBuyers> {
    MigrationStage.custom(fromVersion: TradesV1.self, toVersion: TradesOfBuyers.self) {
      Upcast(\.trade, to: \.trade) { old, _ in
        .init(
          buyer: old.buyer, seller: old.seller, street: "to \(old.street)",
          phone: "\(old.title ?? "") \(old.phone)",
          remark: old.remark, title: old.title)
      }
    }
  }
}

enum RemarkedTrades: SchemaMigrationPlan {
  static var stages: MigrationChain<TradesV1, TradesWithRemarks> {
    MigrationStage.custom(fromVersion: TradesV1.self, toVersion: TradesWithRemarks.self) {
      Keep(\.trade, to: \.trade, changing: \.title) { old, _ in old.title ?? "unknown" }
    }
  }
}

enum SplitTrades: SchemaMigrationPlan {
  static var stages: MigrationChain<TradesV1, TradesInParts> {
    MigrationStage.custom(fromVersion: TradesV1.self, toVersion: TradesInParts.self) {
      Split(\.trade, into: [\.bought, \.sold]) { old, _ in
        [
          .sold(.init(seller: old.seller, text: old.phone)),
          .bought(.init(buyer: old.buyer, text: "\(old.street), from \(old.phone)")),
          .bought(.init(buyer: old.buyer, text: "\(old.street), \(old.remark)")),
        ]
      }
    }
  }
}

enum FoldedTrades: SchemaMigrationPlan {
  struct State {
    var buyer = ""
    var streets: [String] = []
  }

  static var stages: MigrationChain<TradesV1, TradesAsOne> {
    MigrationStage.custom(fromVersion: TradesV1.self, toVersion: TradesAsOne.self) {
      Fold(\.trade, into: \.trades, grouping: { _, origin in origin.stream.text }, from: State()) {
        state, old, _ in
        // The trades are those of the first buyer.
        if state.streets.isEmpty { state.buyer = old.buyer }
        state.streets.append(old.street)
      } result: { state, _ in
        .init(
          buyer: state.buyer, streets: state.streets.joined(separator: "; "), first: "at \(state.streets[0])")
      }
    }
  }
}

/// A stage that puts names of people into the events of their orders.
@Schema(1, 0, 0) enum PlacedOrders {
  @Record struct Registered: Equatable {
    var id: String
    @Field(personal: "id", erased: "gone") var name: String
  }

  @Record struct Ordered: Equatable {
    var id: String
    var total: Int
  }
}

@Schema(2, 0, 0) enum NamedOrders {
  typealias Registered = PlacedOrders.Registered

  @Record struct Ordered: Equatable {
    var id: String
    var total: Int
    @Field(personal: "id", erased: "none") var name: String
  }
}

extension NamedOrders.Event: Equatable {}

enum PlacedOrdersPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<PlacedOrders, PlacedOrders> {}
}

enum NamedOrdersPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<PlacedOrders, NamedOrders> { naming }

  static var naming: MigrationStage<PlacedOrders, NamedOrders> {
    .custom(
      fromVersion: PlacedOrders.self, toVersion: NamedOrders.self,
      prepare: { history in
        try KeyedContext(
          history.reduce(into: [String: String]()) { names, entry in
            if case .registered(let person) = entry.event { names[person.id] = person.name }
          })
      }
    ) {
      Upcast(\.ordered, to: \.ordered) { old, _, names in
        .init(id: old.id, total: old.total, name: try names[old.id] ?? "?")
      }
    }
  }
}
