import Annals

/// Courses as a first release stored them: only the course of an enrolment is a tag.
@Schema(1, 0, 0) enum PlainCoursesV1 {
  @Record struct Enrolled: Equatable {
    @Field(tag: "course") var course: String
    var student: Int
  }
  @Record struct Left: Equatable {
    var course: String
    var student: Int
  }
  @Record struct Planned: Equatable {
    var courses: [String]
    var student: Int
  }
  @Record struct Pinged: Equatable { var course: String }
}

enum PlainCourses: SchemaMigrationPlan {
  static var stages: MigrationChain<PlainCoursesV1, PlainCoursesV1> {}
}

/// The same records with more tags: tags are no part of a record's shape.
@Schema(1, 0, 0) enum RetaggedV1 {
  @Record struct Enrolled: Equatable {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: Int
  }
  @Record struct Left: Equatable {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: Int
  }
  typealias Planned = PlainCoursesV1.Planned
  typealias Pinged = PlainCoursesV1.Pinged
}

/// Enrolments are unchanged and get all tags, departures keep theirs, and plans are split.
@Schema(2, 0, 0) enum RetaggedV2 {
  typealias Enrolled = RetaggedV1.Enrolled
  typealias Left = RetaggedV1.Left
  @Record struct SeatPlanned: Equatable {
    @Field(tag: "course") var course: String
    @Field(tag: "student") var student: Int
  }
  @Record struct Hinted: Equatable { var student: Int }
}

/// Enrolments have another name, and another name for a tag.
@Schema(3, 0, 0) enum RetaggedV3 {
  typealias Left = RetaggedV1.Left
  typealias SeatPlanned = RetaggedV2.SeatPlanned
  typealias Hinted = RetaggedV2.Hinted
  @Record struct Booked: Equatable {
    @Field(tag: "course") var course: String
    @Field(tag: "pupil") var student: Int
  }
}

enum RetaggedToSecond: SchemaMigrationPlan {
  static var stages: MigrationChain<RetaggedV1, RetaggedV2> {
    MigrationStage.custom(fromVersion: RetaggedV1.self, toVersion: RetaggedV2.self) {
      Split(\.planned, into: [\.seatPlanned, \.hinted]) { old, _ in
        old.courses.map { .seatPlanned(.init(course: $0, student: old.student)) }
          + (old.courses.count == 1 ? [.hinted(.init(student: old.student))] : [])
      }
      Retain(\.pinged)
      Retag(\.enrolled)
      Retag(\.seatPlanned)
    }
  }
}

enum RetaggedToThird: SchemaMigrationPlan {
  static var stages: MigrationChain<RetaggedV1, RetaggedV3> {
    MigrationStage.custom(fromVersion: RetaggedV1.self, toVersion: RetaggedV2.self) {
      Split(\.planned, into: [\.seatPlanned, \.hinted]) { old, _ in
        old.courses.map { .seatPlanned(.init(course: $0, student: old.student)) }
          + (old.courses.count == 1 ? [.hinted(.init(student: old.student))] : [])
      }
      Retain(\.pinged)
      Retag(\.enrolled)
      Retag(\.seatPlanned)
    }
    MigrationStage.custom(fromVersion: RetaggedV2.self, toVersion: RetaggedV3.self) {
      Upcast(\.enrolled, to: \.booked) { old, _ in .init(course: old.course, student: old.student) }
      Retag(\.booked, "student", "pupil")
    }
  }
}

/// The courses with seats taken by student 1, in the order of their last event.
enum CoursesOfOne: Projection {
  typealias Event = RetaggedV2.Event
  @Record struct Course: ProjectionRow {
    var course: String
    var events: Int
    var key: String { course }
  }

  static let name = "courses-of-one"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Course.self)] }
  static var events: EventQuery<Event> { EventQuery(tags: ["student:1"]) }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    let course: String
    switch entry.event {
    case .enrolled(let event): course = event.course
    case .left(let event): course = event.course
    case .seatPlanned(let event): course = event.course
    case .hinted: return
    }
    let known = try rows.get(Course.self, course)?.events ?? 0
    try rows.put(Course(course: course, events: known + 1))
  }
}

/// The number of events of course `c1`, which no rule computes again for records that have it already.
enum EventsOfFirst: Projection {
  typealias Event = RetaggedV2.Event
  @Record struct Count: ProjectionRow {
    var id: Int
    var events: Int
    var key: Int { id }
  }

  static let name = "events-of-term"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Count.self)] }
  static var events: EventQuery<Event> { EventQuery(tags: ["term:1"]) }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    try rows.put(Count(id: 0, events: (rows.get(Count.self, 0)?.events ?? 0) + 1))
  }
}

/// As ``CoursesOfOne``, kept by the appends themselves.
enum InlineCoursesOfOne: InlineProjection {
  typealias Event = RetaggedV2.Event
  static let name = "inline-courses-of-one"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(CoursesOfOne.Course.self)] }
  static var events: EventQuery<Event> { EventQuery(tags: ["student:1"]) }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    try CoursesOfOne.apply(entry, to: &rows)
  }
}
