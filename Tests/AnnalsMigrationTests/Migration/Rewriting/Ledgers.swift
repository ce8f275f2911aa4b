@testable import Annals

/// A ledger whose rule refuses some of the stored events.
@Schema(1, 0, 0) enum LedgerV1 {
  struct Moved: Record, Codable, Equatable { var amount: Int }
  struct Closed: Record, Codable, Equatable { var year: Int }
}

@Schema(2, 0, 0) enum LedgerV2 {
  typealias Closed = LedgerV1.Closed
  struct Moved: Record, Codable, Equatable {
    var amount: Int
    var currency: String
  }
}

extension LedgerV2.Event: Equatable {}

/// What the rule throws.
struct Overdrawn: Error {}

enum FirstLedger: SchemaMigrationPlan {
  static var stages: MigrationChain<LedgerV1, LedgerV1> {}
}

/// The plan whose rule takes no negative amounts.
enum StrictLedger: SchemaMigrationPlan {
  static var stages: MigrationChain<LedgerV1, LedgerV2> {
    MigrationStage.custom(fromVersion: LedgerV1.self, toVersion: LedgerV2.self) {
      Upcast(\.moved, to: \.moved) { old, origin in
        guard old.amount >= 0 else { throw Overdrawn() }
        return .init(amount: old.amount, currency: "EUR")
      }
    }
  }
}

/// The same with a rule that takes all.
enum MendedLedger: SchemaMigrationPlan {
  static var stages: MigrationChain<LedgerV1, LedgerV2> {
    MigrationStage.custom(fromVersion: LedgerV1.self, toVersion: LedgerV2.self) {
      Upcast(\.moved, to: \.moved) { old, origin in .init(amount: old.amount, currency: "EUR") }
    }
  }
}

/// A plan whose split gives nothing for small amounts, and says why.
enum ThriftyLedger: SchemaMigrationPlan {
  static var stages: MigrationChain<LedgerV1, LedgerV2> {
    MigrationStage.custom(fromVersion: LedgerV1.self, toVersion: LedgerV2.self) {
      Split(\.moved, into: [\.moved], emptyBecause: "too small to keep") { old, origin in
        old.amount < 10 ? [] : [.moved(.init(amount: old.amount, currency: "EUR"))]
      }
    }
  }
}
