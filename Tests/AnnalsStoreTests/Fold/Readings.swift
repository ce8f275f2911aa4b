import Foundation

@testable import Annals

/// Readings of a meter, which become a mean an hour.
@Schema(1, 0, 0) enum Readings1 {
  @Record struct Read: Equatable {
    var hour: Int
    var value: Int
  }
  @Record struct Named: Equatable { var name: String }
}

@Schema(2, 0, 0) enum Readings2 {
  @Record struct Averaged: Equatable {
    var hour: Int
    var mean: Int
  }
  typealias Named = Readings1.Named
}

extension Readings1.Event: Equatable {}
extension Readings2.Event: Equatable {}

/// A value that the meter cannot have shown.
struct Impossible: Error {}

/// A key that has no encoding.
struct Keyless: Encodable {
  func encode(to encoder: any Encoder) throws { throw Impossible() }
}

/// The plan of the first program.
enum FirstReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings1> {}
}

/// The rules that plans of the meter have.
enum ReadingRules {
  typealias Stage = MigrationStage<Readings1, Readings2>

  /// A stage whose fold takes no negative values.
  static func strict(through range: ClosedRange<Int>) -> Stage {
    .custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold(\.read, into: \.averaged, grouping: { old, _ in old.hour }, from: [Readings1.Read]()) {
        reads, old, _ in
        guard range.contains(old.value) else { throw Impossible() }
        reads.append(old)
      } result: { reads, _ in
        let sum = reads.map(\.value).sum()
        return .init(hour: reads.last?.hour ?? 0, mean: sum / max(reads.count, 1))
      }
    }
  }
}

enum StrictReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> { ReadingRules.strict(through: 0...100) }
}

/// The same with a rule that takes all.
enum MendedReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> { ReadingRules.strict(through: -100...100) }
}

/// The same result from a state of another type.
enum SummedReadings: SchemaMigrationPlan {
  struct Sum { var hour = 0, sum = 0, count = 0 }

  static var stages: MigrationChain<Readings1, Readings2> {
    MigrationStage.custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold(\.read, into: \.averaged, grouping: { old, _ in old.hour }, from: Sum()) { sum, old, _ in
        sum = Sum(hour: old.hour, sum: sum.sum + old.value, count: sum.count + 1)
      } result: { sum, _ in
        .init(hour: sum.hour, mean: sum.sum / sum.count)
      }
    }
  }
}

/// A fold whose result cannot be made.
enum ResultlessReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> {
    MigrationStage.custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold(\.read, into: \.averaged, grouping: { old, _ in old.hour }, from: 0) { _, _, _ in
      } result: { _, _ in
        throw Impossible()
      }
    }
  }
}

/// A fold whose keys cannot be encoded.
enum KeylessReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> {
    MigrationStage.custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold(\.read, into: \.averaged, grouping: { old, _ in old.value == 7 ? Keyless() : nil }, from: 0) {
        _, _, _ in
      } result: { _, _ in
        .init(hour: 0, mean: 0)
      }
    }
  }
}

/// A fold that gives an event which its `into:` does not name.
enum StrayReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> {
    MigrationStage.custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold(\.read, into: [\.averaged], grouping: { old, _ in old.hour }, from: 0) { _, _, _ in
      } result: { _, _ in
        [.named(.init(name: "stray"))]
      }
    }
  }
}

/// A fold and another rule for one record.
enum TwiceTakenReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> {
    MigrationStage.custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold(\.read, into: \.averaged, grouping: { old, _ in old.hour }, from: 0) { _, _, _ in
      } result: { _, _ in
        .init(hour: 0, mean: 0)
      }
      Drop(\.read, reason: "twice")
    }
  }
}

/// A fold of something that is no record.
enum NoRecordReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> {
    MigrationStage.custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold([\.read, \.self], into: [\.averaged], grouping: { _, _ in 1 }, from: 0) { _, _, _ in
      } result: { _, _ in
        []
      }
    }
  }
}

/// A fold into something that is no record.
enum NoResultReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> {
    MigrationStage.custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold(\.read, into: [\.self], grouping: { _, _ in 1 }, from: 0) { _, _, _ in
      } result: { _, _ in
        []
      }
    }
  }
}

/// A fold of two types.
enum OneForAllReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> {
    MigrationStage.custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold([\.read, \.named], into: [\.averaged], grouping: { _, _ in 1 }, from: 0) { _, _, _ in
      } result: { _, _ in
        []
      }
    }
  }
}

/// The same records folded into the same by two rules instead of one.
enum OneForEachReadings: SchemaMigrationPlan {
  static var stages: MigrationChain<Readings1, Readings2> {
    MigrationStage.custom(fromVersion: Readings1.self, toVersion: Readings2.self) {
      Fold(\.read, into: [\.averaged], grouping: { _, _ in 1 }, from: 0) { _, _, _ in
      } result: { _, _ in
        []
      }
      Fold(\.named, into: [\.averaged], grouping: { _, _ in 1 }, from: 0) { _, _, _ in
      } result: { _, _ in
        []
      }
    }
  }
}
