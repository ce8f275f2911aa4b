import Annals

@Schema(1, 0, 0) enum RoomsV1 {
  @Record struct Booked {
    @Field(tag: "room") var room: String
    var mark: Int
  }
  @Record struct Noted { var mark: Int }
}

enum RoomsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<RoomsV1, RoomsV1> {}
}

/// No room is booked twice.
enum RoomBookings: InlineProjection {
  typealias Event = RoomsV1.Event
  @Record struct Row: ProjectionRow {
    var room: String
    var mark: Int
    var key: String { room }
  }

  static let name = "bookings"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .booked(let booked) = entry.event else { return }
    if try rows.get(Row.self, booked.room) != nil { throw Rejection("the room is taken") }
    try rows.put(Row(room: booked.room, mark: booked.mark))
  }
}
