import Annals
import AnnalsTestSupport

// Records without tags, so that most calls with them are plain.

@Schema(1, 0, 0) enum DesksV1 {
  @Record struct Taken {
    var desk: String
    var mark: Int
  }
  @Record struct Freed {
    var desk: String
    var mark: Int
  }
  @Record struct Noted { var mark: Int }
}

enum DesksPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<DesksV1, DesksV1> {}
}

/// A number that has no encoding below zero.
struct NaturalNumber: StoredValue {
  var number: Int

  static func shape(in types: inout ShapeTypes) -> ValueShape { Int.shape(in: &types) }
  init(number: Int) { self.number = number }
  init(from reader: inout FieldReader) throws(CodingFailure) { number = try Int(from: &reader) }
  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    guard number >= 0 else { throw CodingFailure(.refused, at: 0) }
    try number.encode(into: &writer)
  }
}

/// No desk is taken twice, or freed by a mark below zero.
enum Desks: InlineProjection {
  typealias Event = DesksV1.Event
  @Record struct Row: ProjectionRow {
    var desk: String
    var mark: NaturalNumber
    var key: String { desk }
  }
  /// Where an event is that took a desk or freed one.
  @Record struct Place: ProjectionRow {
    var position: Int
    var stream: String
    var revision: Int
    var key: Int { position }
  }

  static let name = "desks"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self), .rows(Place.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .taken(let taken):
      if try rows.get(Row.self, taken.desk) != nil { throw Rejection("the desk is taken") }
      // A row with a mark below zero has no encoding. A later event of the call may free the desk again.
      try rows.put(Row(desk: taken.desk, mark: NaturalNumber(number: taken.mark)))
    case .freed(let freed):
      guard try rows.delete(Row.self, freed.desk) else { throw Rejection("the desk is free") }
    case .noted: return
    }
    try rows.put(
      Place(
        position: Int(entry.position.rawValue), stream: entry.stream.text,
        revision: Int(entry.revision.rawValue)))
  }
}

/// Counts the notes of each stream, and refuses every seventh.
enum Notes: InlineProjection {
  typealias Event = DesksV1.Event
  @Record struct Row: ProjectionRow {
    var stream: String
    var count: Int
    var key: String { stream }
  }

  static let name = "notes"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .noted = entry.event else { return }
    let count = (try rows.get(Row.self, entry.stream.text)?.count ?? 0) + 1
    if count % 7 == 0 { throw Rejection("the seventh note") }
    try rows.put(Row(stream: entry.stream.text, count: count))
  }
}
