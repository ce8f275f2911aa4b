import Annals
import Testing

@Schema(1, 0, 0) private enum TradesV1 {
  @Value fileprivate struct Country: Equatable { var name: String }
  @Value fileprivate struct Address: Equatable {
    var street: String
    var country: Country
  }
  @Record fileprivate struct Traded: Equatable {
    var seller: Address
    var buyer: Address
    var earlier: [Address]
  }
}

@Schema(2, 0, 0) private enum TradesV2 {
  @Value fileprivate struct Country: Equatable {
    var name: String
    var code: String
  }
  @Value fileprivate struct Address: Equatable {
    var street: String
    var country: Country
  }
  @Record fileprivate struct Traded: Equatable {
    var seller: Address
    var buyer: Address
    var earlier: [Address]
  }
}

private enum TradePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TradesV1, TradesV2> {
    MigrationStage.lightweight(fromVersion: TradesV1.self, toVersion: TradesV2.self) {
      Default(\.traded, \.seller.country.code, "s")
      Default(\.traded, \.buyer.country.code, "b")
      Default(\.traded, at: \.earlier.country.code, "e")
    }
  }
}

private enum KeptTradePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TradesV1, TradesV2> {
    MigrationStage.custom(fromVersion: TradesV1.self, toVersion: TradesV2.self) {
      Keep(\.traded, to: \.traded, changing: \.buyer) { old, _ in
        .init(street: old.buyer.street, country: .init(name: old.buyer.country.name, code: "k"))
      }
      Default(\.traded, \.seller.country.code, "s")
      Default(\.traded, at: \.earlier.country.code, "e")
    }
  }
}

extension TradesV2.Event: Equatable {}

/// Values of one type in several places of a record.
@Suite struct TwinConstantTests {
  private static func read<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type
  ) async throws -> [TradesV2.Event] where Plan.Current == TradesV2 {
    let place = try TemporaryStore()
    func address(_ street: String) -> TradesV1.Address { .init(street: street, country: .init(name: "-")) }
    try await place.write(
      [.traded(.init(seller: address("1"), buyer: address("2"), earlier: [address("3"), address("4")]))],
      as: TradesV1.self)
    return try place.read(plan)
  }

  private static func expected(buyer: String) -> [TradesV2.Event] {
    func address(_ street: String, _ code: String) -> TradesV2.Address {
      .init(street: street, country: .init(name: "-", code: code))
    }
    return [
      .traded(
        .init(
          seller: address("1", "s"), buyer: address("2", buyer),
          earlier: [address("3", "e"), address("4", "e")]))
    ]
  }

  @Test func `each place of a type has the constant of its own path`() async throws {
    #expect(try await Self.read(TradePlan.self) == Self.expected(buyer: "b"))
  }

  @Test func `a rule that keeps fields takes the constants of what is inside them`() async throws {
    #expect(try await Self.read(KeptTradePlan.self) == Self.expected(buyer: "k"))
  }
}
