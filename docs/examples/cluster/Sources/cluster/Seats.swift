import Annals

@Schema(1, 0, 0) enum SeatsV1 {
  @Record struct Booked {
    var seat: String
    var name: String
  }
}

enum SeatPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<SeatsV1, SeatsV1> {}
}

/// Who has which seat. It refuses a second booking of a seat, on all machines at the same place.
enum Bookings: InlineProjection {
  typealias Event = SeatsV1.Event
  @Record struct Row: ProjectionRow {
    var seat: String
    var name: String
    var key: String { seat }
  }

  static let name = "bookings"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .booked(let booked) = entry.event else { return }
    if let row = try rows.get(Row.self, booked.seat) {
      throw Rejection("seat \(booked.seat) is taken by \(row.name)")
    }
    try rows.put(Row(seat: booked.seat, name: booked.name))
  }
}
