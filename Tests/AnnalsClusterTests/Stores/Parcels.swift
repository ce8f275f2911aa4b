import Annals

// Two versions of one schema, of which the newer is a bridge.

@Schema(1, 0, 0) enum ParcelsV1 {
  @Record struct Sent: Equatable {
    var kilograms: Int
    var mark: Int
  }
}

@Schema(2, 0, 0, .bridge) enum ParcelsV2 {
  @Record struct Sent: Equatable {
    var grams: Int
    var mark: Int
  }
}

enum ParcelsPlan1: SchemaMigrationPlan { static var stages: MigrationChain<ParcelsV1, ParcelsV1> {} }

enum ParcelsPlan2: SchemaMigrationPlan {
  static var stages: MigrationChain<ParcelsV1, ParcelsV2> {
    MigrationStage.custom(fromVersion: ParcelsV1.self, toVersion: ParcelsV2.self) {
      Upcast(\.sent, to: \.sent) { old, _ in .init(grams: old.kilograms * 1_000, mark: old.mark) }
      Downcast(\.sent, to: \.sent) { new in .init(kilograms: new.grams / 1_000, mark: new.mark) }
    }
  }
}

@Record struct ParcelTotal: ProjectionRow {
  var name: String
  var sum: Int
  var key: String { name }
}

enum KilogramTotals: Projection {
  typealias Event = ParcelsV1.Event
  static let name = "totals"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(ParcelTotal.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .sent(let sent) = entry.event else { return }
    try rows.update(ParcelTotal.self, "all", initial: ParcelTotal(name: "all", sum: 0)) {
      $0.sum += sent.kilograms
    }
  }
}

/// The same projection, raised.
enum GramTotals: Projection {
  typealias Event = ParcelsV2.Event
  static let name = "totals"
  static let version = 2
  static var tables: [ProjectionTable] { [.rows(ParcelTotal.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .sent(let sent) = entry.event else { return }
    try rows.update(ParcelTotal.self, "all", initial: ParcelTotal(name: "all", sum: 0)) {
      $0.sum += sent.grams
    }
  }
}
