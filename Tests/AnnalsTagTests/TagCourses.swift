import Annals

/// Students who take and leave seats, with tags on fields.
@Schema(1, 0, 0) enum TagCoursesV1 {
  @Record struct Enrolled: Equatable {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: Int
  }
  @Record struct Left: Equatable {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: Int
  }
  @Record struct Planned: Equatable { var rooms: [String] }
}

/// One record has another name and no tags of its own, one is split.
@Schema(2, 0, 0) enum TagCoursesV2 {
  typealias Left = TagCoursesV1.Left
  @Record struct SeatTaken: Equatable {
    var course: String
    var student: Int
  }
  @Record struct RoomPlanned: Equatable { var room: String }
}

enum TagCoursesFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<TagCoursesV1, TagCoursesV1> {}
}

enum TagCoursesPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TagCoursesV1, TagCoursesV2> {
    MigrationStage.custom(fromVersion: TagCoursesV1.self, toVersion: TagCoursesV2.self) {
      Upcast(\.enrolled, to: \.seatTaken) { old, _ in .init(course: old.course, student: old.student) }
      Split(\.planned, into: [\.roomPlanned]) { old, _ in old.rooms.map { .roomPlanned(.init(room: $0)) } }
    }
  }
}

/// The number of taken seats of each course, kept by the appends themselves.
enum TakenSeats: InlineProjection {
  typealias Event = TagCoursesV1.Event
  @Record struct Seats: ProjectionRow {
    var course: String
    var taken: Int
    var key: String { course }
  }

  static let name = "seats"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Seats.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .enrolled(let event) = entry.event else { return }
    let taken = try rows.get(Seats.self, event.course)?.taken ?? 0
    try rows.put(Seats(course: event.course, taken: taken + 1))
  }
}
