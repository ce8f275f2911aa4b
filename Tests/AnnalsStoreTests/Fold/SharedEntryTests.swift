import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

@Schema(1, 0, 0) private enum Doubles1 {
  @Record fileprivate struct Measured: Equatable { var values: [Int] }
}
@Schema(2, 0, 0) private enum Doubles2 {
  @Record fileprivate struct Read: Equatable {
    var group: Int
    var value: Int
  }
}
@Schema(3, 0, 0) private enum Doubles3 {
  @Record fileprivate struct Summed: Equatable {
    var group: Int
    var sum: Int
  }
}
private enum Mended {
  /// Whether the rules take negative values.
  static let isDone = Mutex(false)
  struct Negative: Error {}
}

/// Each value is a reading of the group that its tens say; a group is the sum of its readings.
private enum DoublePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Doubles1, Doubles3> {
    MigrationStage.custom(fromVersion: Doubles1.self, toVersion: Doubles2.self) {
      Split(\.measured, into: [\.read]) { old, _ in
        old.values.map { .read(.init(group: abs($0) / 10, value: $0)) }
      }
    }
    MigrationStage.custom(fromVersion: Doubles2.self, toVersion: Doubles3.self) {
      Fold(\.read, into: \.summed, grouping: { old, _ in old.group }, from: [Int]()) { values, old, _ in
        values.append(old.value)
      } result: { values, _ in
        let sum = values.sum()
        if sum < 0, !Mended.isDone.withLock({ $0 }) { throw Mended.Negative() }
        return .init(group: abs(values[0]) / 10, sum: sum)
      }
    }
  }
}
private enum FirstPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Doubles1, Doubles1> {}
}

/// Entries with parts that belong to one group and end another, where one of the two cannot be folded.
@Suite(.serialized) struct SharedEntryTests {
  /// Entries of one stream, and their events once the rules are repaired.
  struct Case: CustomTestStringConvertible {
    let entries: [[Int]]
    var testDescription: String { "\(entries)" }

    /// The sums of neighbours of one group, in their order.
    var sums: [Int] {
      var groups: [(group: Int, sum: Int)] = []
      for value in entries.joined() {
        if groups.last?.group == abs(value) / 10 {
          groups[groups.count - 1].sum += value
        } else {
          groups.append((abs(value) / 10, value))
        }
      }
      return groups.map(\.sum)
    }
  }

  private static var cases: [Case] {
    [
      // The last part of the first group shares its entry with the first of a failing one, and vice versa.
      Case(entries: [[11, 12], [13, -25], [21], [31]]), Case(entries: [[-11], [-12, 25], [21], [31]]),
      // A failing group comes before or after one that ends in the same entry.
      Case(entries: [[11], [12], [-21, 13], [14]]),
      Case(entries: [[11], [12, -21, 31], [32], [-33, 41], [42]]),
      Case(entries: [[1], [2, 11], [-12], [13, -24], [25, 31], [-39]]),
    ]
      + (1...12 as ClosedRange<UInt64>).map { seed in
        var generator = SeededGenerator(seed: seed)
        return Case(
          entries: (0..<8).map { _ in
            (0..<Int.random(in: 1...3, using: &generator)).map { _ in
              Int.random(in: 10...39, using: &generator)
                * (Int.random(in: 0...3, using: &generator) == 0 ? -1 : 1)
            }
          })
      }
  }

  private func sums(_ store: EventStore<DoublePlan>) throws -> [Int] {
    try store.events().map { if case .summed(let summed) = $0 { summed.sum } else { 0 } }
  }

  @Test(arguments: cases)
  func `a pass that sets entries aside loses nothing that a repaired rule needs`(example: Case) async throws {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: FirstPlan.self)
      for values in example.entries {
        try await store.append([.measured(.init(values: values))], to: "meter")
      }
    }
    var options = StoreOptions()
    options.activating = true
    Mended.isDone.withLock { $0 = false }
    do {
      let store = try EventStore(at: place.url, plan: DoublePlan.self, options: options)
      var pass = MigrationOptions()
      pass.unreadable = .quarantine
      #expect(try await store.migrate(pass).report().isDone)
    }
    #expect(try EventLog.verify(place.url).findings.isEmpty)
    Mended.isDone.withLock { $0 = true }
    let store = try EventStore(at: place.url, plan: DoublePlan.self)
    #expect(try sums(store) == example.sums)
    _ = try await store.migrate().report()
    #expect(try sums(store) == example.sums)
    #expect(
      try store.log.info().schemas.filter { $0.version != Doubles3.version }.map(\.count).sum() == 0)
  }
}
