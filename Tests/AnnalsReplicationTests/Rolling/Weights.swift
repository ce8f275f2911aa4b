import Annals

// Two versions of one schema. Programs of the newer one store the older form until it is active.

@Schema(1, 0, 0) enum WeightsV1 {
  @Record struct Weighed: Equatable {
    var pounds: Int
    var mark: Int
  }
  @Record struct Noted: Equatable { var mark: Int }
}

@Schema(2, 0, 0, .bridge) enum WeightsV2 {
  @Record struct Weighed: Equatable {
    var ounces: Int
    var mark: Int
  }
  typealias Noted = WeightsV1.Noted
  @Record struct Calibrated: Equatable { var mark: Int }
}

/// It has no place for what programs of the version before read.
@Schema(3, 0, 0) enum WeightsV3 {
  @Record struct Weighed: Equatable {
    var ounces: Int
    var mark: Int
    var scale: String
  }
  typealias Noted = WeightsV1.Noted
  typealias Calibrated = WeightsV2.Calibrated
}

enum WeightsPlan1: SchemaMigrationPlan { static var stages: MigrationChain<WeightsV1, WeightsV1> {} }

enum WeightsPlan2: SchemaMigrationPlan {
  static var stages: MigrationChain<WeightsV1, WeightsV2> {
    MigrationStage.custom(fromVersion: WeightsV1.self, toVersion: WeightsV2.self) {
      Upcast(\.weighed, to: \.weighed) { old, _ in .init(ounces: old.pounds * 16, mark: old.mark) }
      Downcast(\.weighed, to: \.weighed) { new in .init(pounds: new.ounces / 16, mark: new.mark) }
    }
  }
}

enum WeightsPlan3: SchemaMigrationPlan {
  static var stages: MigrationChain<WeightsV1, WeightsV3> {
    MigrationStage.custom(fromVersion: WeightsV1.self, toVersion: WeightsV2.self) {
      Upcast(\.weighed, to: \.weighed) { old, _ in .init(ounces: old.pounds * 16, mark: old.mark) }
      Downcast(\.weighed, to: \.weighed) { new in .init(pounds: new.ounces / 16, mark: new.mark) }
    }
    MigrationStage.custom(fromVersion: WeightsV2.self, toVersion: WeightsV3.self) {
      Upcast(\.weighed, to: \.weighed) { old, _ in
        .init(ounces: old.ounces, mark: old.mark, scale: "unknown")
      }
    }
  }
}

/// A row with the sum of all weights.
@Record struct WeightTotal: ProjectionRow {
  var name: String
  var sum: Int
  var key: String { name }
}

/// The sum in pounds.
enum PoundTotals: Projection {
  typealias Event = WeightsV1.Event
  static let name = "totals"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(WeightTotal.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .weighed(let weighed) = entry.event else { return }
    try rows.update(WeightTotal.self, "all", initial: WeightTotal(name: "all", sum: 0)) {
      $0.sum += weighed.pounds
    }
  }
}

/// The same projection in the version of the newer program: the sum in ounces.
enum OunceTotals: Projection {
  typealias Event = WeightsV2.Event
  static let name = "totals"
  static let version = 2
  static var tables: [ProjectionTable] { [.rows(WeightTotal.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .weighed(let weighed) = entry.event else { return }
    try rows.update(WeightTotal.self, "all", initial: WeightTotal(name: "all", sum: 0)) {
      $0.sum += weighed.ounces
    }
  }
}
