import Annals
import Testing

@testable import AnnalsStore

/// How often each student has enrolled in course 1, also by a booking of several courses.
private enum FirstCourse: Projection {
  @Record struct Student: ProjectionRow {
    var name: String
    var count: Int
    var key: String { name }
  }
  typealias Event = CoursesV2.Event
  static let name = "students"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Student.self)] }
  static var events: EventQuery<Event> { EventQuery([\.enrolled], tags: ["course:c1"]) }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .enrolled(let event) = entry.event else { throw Rejection("an event that was not selected") }
    try rows.update(Student.self, event.student, initial: Student(name: event.student, count: 0)) {
      $0.count += 1
    }
  }
}

/// The same projection in a later release, which selects by another tag.
private enum SecondCourse: Projection {
  typealias Event = CoursesV2.Event
  static let name = FirstCourse.name
  static let version = FirstCourse.version
  static var tables: [ProjectionTable] { FirstCourse.tables }
  static var events: EventQuery<Event> { EventQuery([\.enrolled], tags: ["course:c2"]) }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    try FirstCourse.apply(entry, to: &rows)
  }
}

/// All enrolments and departures, next to the others.
private enum Everyone: Projection {
  typealias Event = CoursesV2.Event
  static let name = "everyone"
  static let version = 1
  static var tables: [ProjectionTable] { FirstCourse.tables }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .enrolled = entry.event else { return }
    try FirstCourse.apply(entry, to: &rows)
  }
}

/// Enrolments in course 1, kept by the appends themselves.
private enum InlineCourse: InlineProjection {
  typealias Event = CoursesV2.Event
  static let name = "inline"
  static let version = 1
  static var tables: [ProjectionTable] { FirstCourse.tables }
  static var events: EventQuery<Event> { EventQuery([\.enrolled], tags: ["course:c1"]) }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    try FirstCourse.apply(entry, to: &rows)
  }
}

/// Projections that select their events by tags.
@Suite struct TagProjectionTests {
  private typealias Store = EventStore<Courses>
  private typealias Student = FirstCourse.Student

  /// A store with events of version 1: some with the tags of their fields, some with added ones.
  private static func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let store = try EventStore(at: place.url, plan: FirstCourses.self)
    for number in 0..<60 {
      let student = "s\(number % 4)"
      let event: CoursesV1.Event =
        switch number % 5 {
        case 0: .enrolled(.init(course: "c1", student: student))
        case 1: .enrolled(.init(course: "c2", student: student))
        case 2: .booked(.init(courses: ["c1", "c3"], student: student))
        case 3: .left(.init(course: "c1", student: student))
        default: .noted(.init(text: "x"))
        }
      // An event that is about course 3 gets the tag of course 1.
      if number == 59 {
        try await store.append(
          [NewEvent(.enrolled(.init(course: "c3", student: student)), tags: ["course:c1"])], to: "seats")
      } else {
        try await store.append([event], to: "seats")
      }
    }
    return place
  }

  /// The counts by the stored tags: a booking of two courses has two parts with both tags.
  private static func expected(_ store: Store, _ tag: EventTag?) throws -> [String: Int] {
    try store.log.read { (snapshot) throws in
      var counts: [String: Int] = [:]
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        if let tag, !entry.tags.contains(tag) { continue }
        let parts = entry.type == "Booked" ? 2 : entry.type == "Enrolled" ? 1 : 0
        let student = entry.tags.first { $0.text.hasPrefix("student:") }
        guard parts > 0, let student else { continue }
        counts[String(student.text.dropFirst("student:".count)), default: 0] += parts
      }
      return counts
    }
  }

  private static func counts<P: Projection>(_ view: View<P>) throws -> [String: Int] {
    try view.read { (snapshot) throws(AnnalsError) in
      var counts: [String: Int] = [:]
      for number in 0..<4 {
        if let student = try snapshot.get(Student.self, "s\(number)") { counts[student.name] = student.count }
      }
      return counts
    }
  }

  @Test func `a view folds the events with its tags, old and new ones, next to views of all events`()
    async throws
  {
    let place = try await Self.seeded()
    let store = try Store(at: place.url, plan: Courses.self)
    let (first, everyone) = (try store.view(FirstCourse.self), try store.view(Everyone.self))
    for round in 0..<3 {
      let head = try store.read { snapshot throws(AnnalsError) in try snapshot.head() }
      try await first.waitUntil(head ?? 0)
      try await everyone.waitUntil(head ?? 0)
      #expect(try Self.counts(first) == Self.expected(store, "course:c1"), "round \(round)")
      #expect(try Self.counts(everyone) == Self.expected(store, nil), "round \(round)")
      try await store.append(
        [
          .enrolled(.init(course: "c1", student: "s1")), .enrolled(.init(course: "c2", student: "s2")),
          .left(.init(course: "c1", student: "s1")),
        ], to: "seats")
    }
  }

  @Test func `a view that selects by another tag in a later release is built again`() async throws {
    let place = try await Self.seeded()
    do {
      let store = try Store(at: place.url, plan: Courses.self)
      let view = try store.view(FirstCourse.self)
      try await view.waitUntil(60)
      #expect(try Self.counts(view) == Self.expected(store, "course:c1"))
    }
    let store = try Store(at: place.url, plan: Courses.self)
    let expected = try Self.expected(store, "course:c2")
    #expect(try expected != Self.expected(store, "course:c1"))
    let view = try store.view(SecondCourse.self)
    let deadline = ContinuousClock.now + .seconds(60)
    while try Self.counts(view) != expected, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try Self.counts(view) == expected)
  }

  @Test
  func `a query with tags is recognised by the names of its types, in whichever order a release has them`()
    throws
  {
    let query = EventQuery<CoursesV1.Event>(items: [
      .init([\.enrolled], tags: ["x"]), .init([\.left], tags: ["y"]),
    ])
    let swapped = EventQuery<CoursesV1.Event>(items: [
      .init([\.left], tags: ["x"]), .init([\.enrolled], tags: ["y"]),
    ])
    let (names, others) = (["A", "B", "C", "D"], ["B", "A", "C", "D"])
    #expect(query.tagText { names[$0] } != swapped.tagText { names[$0] })
    // The later release declares the two records in the other order.
    #expect(query.tagText { names[$0] } != query.tagText { others[$0] })
    #expect(query.tagText { names[$0] } == swapped.tagText { others[$0] })
    #expect(EventQuery<CoursesV1.Event>([\.left]).tagText { names[$0] } == nil)
  }

  @Test func `the rows of an inline projection with tags are right after appends and after a pass`()
    async throws
  {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let store = try EventStore(at: place.url, plan: Courses.self, inline: [InlineCourse.self])
    for number in 0..<20 {
      try await store.append(
        [
          NewEvent(.enrolled(.init(course: "c\(number % 3)", student: "s\(number % 4)"))),
          NewEvent(.enrolled(.init(course: "c9", student: "s\(number % 4)")), tags: ["course:c1"]),
          NewEvent(.noted(.init(text: "x")), tags: ["course:c1"]),
        ], to: "seats")
    }
    for isPassed in [false, true] {
      if isPassed { _ = try await store.migrate().report() }
      let counts = try store.read { (snapshot) throws(AnnalsError) in
        var counts: [String: Int] = [:]
        for number in 0..<4 {
          let row = try snapshot.inline(InlineCourse.self).get(Student.self, "s\(number)")
          if let row { counts[row.name] = row.count }
        }
        return counts
      }
      #expect(try counts == Self.expected(store, "course:c1"), "after a pass: \(isPassed)")
    }
  }
}
