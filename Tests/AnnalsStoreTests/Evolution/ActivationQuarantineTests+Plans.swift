@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// The plans of these tests: members of a club, parties of them, and entries that no rule can read.
extension ActivationQuarantineTests {
  struct Bad: Error {}

  @Schema(1, 0, 0) enum Club1 {
    @Record struct Joined: Equatable { var name: String }
    @Record struct Noise: Equatable { var text: String }
  }
  @Schema(2, 0, 0) enum Club2 {
    @Record struct Joined: Equatable {
      var name: String
      var letters: Int
    }
    @Record struct Noise: Equatable { var count: Int }
  }
  @Schema(3, 0, 0) enum Club3 {
    @Record struct Member: Equatable {
      var name: String
      var first: Int
    }
    typealias Noise = Club2.Noise
  }
  @Schema(3, 0, 0) enum Groups3 {
    @Record struct Party: Equatable { var names: [String] }
    typealias Noise = Club2.Noise
  }
  enum First: SchemaMigrationPlan { static var stages: MigrationChain<Club1, Club1> {} }

  /// Nobody is called "bad", and no noise is empty.
  static func counting(strict: Bool = true) -> MigrationStage<Club1, Club2> {
    MigrationStage.custom(fromVersion: Club1.self, toVersion: Club2.self) {
      Upcast(\.joined, to: \.joined) { old, _ in
        if strict, old.name == "bad" { throw Bad() }
        return .init(name: old.name, letters: old.name.count)
      }
      Upcast(\.noise, to: \.noise) { old, _ in
        if strict, old.text.isEmpty { throw Bad() }
        return .init(count: old.text.count)
      }
    }
  }
  static func firsts(
    of history: StageHistory<Club2.Event>
  ) throws -> [String: Position] {
    try history.firstPositions { entry in
      if case .joined(let joined) = entry.event { joined.name } else { nil }
    }
  }
  enum Whole: SchemaMigrationPlan {
    static var stages: MigrationChain<Club1, Club3> {
      ActivationQuarantineTests.counting()
      MigrationStage.custom(
        fromVersion: Club2.self, toVersion: Club3.self,
        prepare: { try ActivationQuarantineTests.firsts(of: $0) }
      ) {
        Upcast(\.joined, to: \.member) { old, _, firsts in
          .init(name: old.name, first: Int(firsts[old.name]?.rawValue ?? 0))
        }
      }
    }
  }
  enum Selecting: SchemaMigrationPlan {
    static var stages: MigrationChain<Club1, Club3> {
      ActivationQuarantineTests.counting()
      MigrationStage.custom(
        fromVersion: Club2.self, toVersion: Club3.self,
        prepare: { try ActivationQuarantineTests.firsts(of: $0.selecting(\.joined)) }
      ) {
        Upcast(\.joined, to: \.member) { old, _, firsts in
          .init(name: old.name, first: Int(firsts[old.name]?.rawValue ?? 0))
        }
      }
    }
  }
  /// Neighbours with the same first letter are a party; a member without a name cannot be grouped.
  static func folding() -> MigrationStage<Club2, Groups3> {
    MigrationStage.custom(fromVersion: Club2.self, toVersion: Groups3.self) {
      Fold(
        \.joined, into: \.party,
        grouping: { (old, _) throws -> String? in
          guard let letter = old.name.first else { throw Bad() }
          return String(letter)
        }, from: [String]()
      ) { names, old, _ in
        names.append(old.name)
      } result: { names, _ in
        .init(names: names)
      }
    }
  }
  enum Folding: SchemaMigrationPlan {
    static var stages: MigrationChain<Club1, Groups3> {
      ActivationQuarantineTests.counting()
      ActivationQuarantineTests.folding()
    }
  }
  enum Mended: SchemaMigrationPlan {
    static var stages: MigrationChain<Club1, Groups3> {
      ActivationQuarantineTests.counting(strict: false)
      ActivationQuarantineTests.folding()
    }
  }

  @Schema(1, 0, 0) enum Pairs1 { @Record struct Came: Equatable { var names: [String] } }
  @Schema(2, 0, 0) enum Pairs2 { @Record struct Joined: Equatable { var name: String } }
  @Schema(3, 0, 0) enum Pairs3 { @Record struct Party: Equatable { var names: [String] } }

  /// Each entry becomes an event for each of its names.
  static func splitting(strict: Bool) -> MigrationStage<Pairs1, Pairs2> {
    MigrationStage.custom(fromVersion: Pairs1.self, toVersion: Pairs2.self) {
      Split(\.came) { old, _ in
        if strict, old.names.contains("bad") { throw Bad() }
        return old.names.map { .joined(.init(name: $0)) }
      }
    }
  }
  /// Neighbours with the same first letter are a party.
  static func pairing() -> MigrationStage<Pairs2, Pairs3> {
    MigrationStage.custom(fromVersion: Pairs2.self, toVersion: Pairs3.self) {
      Fold(
        \.joined, into: \.party, grouping: { old, _ in String(old.name.prefix(1)) }, from: [String]()
      ) { names, old, _ in
        names.append(old.name)
      } result: { names, _ in
        .init(names: names)
      }
    }
  }
  enum StrictPairs: SchemaMigrationPlan {
    static var stages: MigrationChain<Pairs1, Pairs3> {
      ActivationQuarantineTests.splitting(strict: true)
      ActivationQuarantineTests.pairing()
    }
  }
  enum MendedPairs: SchemaMigrationPlan {
    static var stages: MigrationChain<Pairs1, Pairs3> {
      ActivationQuarantineTests.splitting(strict: false)
      ActivationQuarantineTests.pairing()
    }
  }
}

extension ActivationQuarantineTests.Club3.Event: Equatable {}
extension ActivationQuarantineTests.Pairs3.Event: Equatable {}
extension ActivationQuarantineTests.Groups3.Event: Equatable {}
