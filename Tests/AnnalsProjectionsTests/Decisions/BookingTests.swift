import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Decisions on the events that match a query: enrolments in courses.
@Suite struct BookingTests {
  private let place: TemporaryStore
  private let store: EventStore<SeatCoursesPlan>

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(at: place.url, plan: SeatCoursesPlan.self)
  }

  private func offer(_ course: String, seats: Int) async throws {
    try await store.append([.courseOffered(.init(course: course, seats: seats))], to: "courses")
  }

  @Test func `A decision folds the matching events alone, and its events have their tags`() async throws {
    try await offer("c1", seats: 2)
    try await offer("c2", seats: 5)
    #expect(try await store.enrol("s1", in: "c1").positions == [3])
    #expect(try await store.enrol("s1", in: "c2").positions == [4])
    #expect(try await store.enrol("s2", in: "c1").positions == [5])
    await #expect(throws: Booking.Refusal.full) { _ = try await store.enrol("s3", in: "c1") }
    await #expect(throws: Booking.Refusal.isEnrolled) { _ = try await store.enrol("s1", in: "c2") }
    var seen: [Position] = []
    try await store.decide(
      Seen(), matching: EventQuery(tags: ["course:c1"]), to: "enrolments"
    ) { (model) throws -> [SeatCoursesV1.Event] in
      seen = model.positions
      return []
    }
    #expect(seen == [1, 3, 5])
    #expect(try store.checkEnrolments() == 3)
  }

  /// The positions of the events.
  private struct Seen: DecisionModel {
    var positions: [Position] = []
    mutating func apply(_ entry: Entry<SeatCoursesV1.Event>) { positions.append(entry.position) }
  }

  @Test func `Only an event that matches is a conflict, in whichever stream it is`() async throws {
    try await offer("c1", seats: 2)
    let booking = Booking(course: "c1", student: "s1")
    func attempts(_ other: SeatCoursesV1.Event, to stream: StreamName) async throws -> Int {
      var attempts = 0
      try await store.decide(booking, matching: booking.query) { (_) throws -> [SeatCoursesV1.Event] in
        attempts += 1
        if attempts == 1 { try store.append([other], to: stream) }
        return [.enrolled(.init(course: "other", student: "nobody"))]
      }
      return attempts
    }
    #expect(try await attempts(.enrolled(.init(course: "c2", student: "s2")), to: "events") == 1)
    #expect(try await attempts(.enrolled(.init(course: "c1", student: "s2")), to: "elsewhere") == 2)
    #expect(try await attempts(.left(.init(course: "c2", student: "s1")), to: "elsewhere") == 2)
    // An offer has no student, and the item for students names other types.
    #expect(try await attempts(.courseOffered(.init(course: "c2", seats: 1)), to: "elsewhere") == 1)
  }

  @Test func `Events for several streams are appended together, and none after a refusal`() async throws {
    try await offer("c1", seats: 1)
    let booking = Booking(course: "c1", student: "s1")
    let appended = try await store.decide(booking, matching: booking.query) {
      (booking) throws -> DecidedEvents<SeatCoursesV1.Event> in
      #expect(booking.freeSeats == 1)
      return [
        "enrolments": [.enrolled(.init(course: "c1", student: "s1"))],
        "students/s1": [.left(.init(course: "c1", student: "s1"))],
      ]
    }
    #expect(appended.positions == [2, 3] && appended.revisions == [0, 0])
    await #expect(throws: Booking.Refusal.full) {
      try await store.decide(booking, matching: booking.query) {
        (_) throws -> DecidedEvents<SeatCoursesV1.Event> in throw Booking.Refusal.full
      }
    }
    #expect(try store.read { snapshot throws(AnnalsError) in try snapshot.head() } == 3)
  }

  @Test func `The fold of an aggregate serves a query too`() async throws {
    for course in ["c1", "c2", "c1"] {
      try await store.append([.enrolled(.init(course: course, student: "s1"))], to: "enrolments")
    }
    var counts: [Int] = []
    for _ in 0..<2 {
      try await store.decide(
        Enrolments.self, matching: EventQuery(tags: ["course:c1", "student:s1"]), to: "enrolments"
      ) { (state) throws -> [SeatCoursesV1.Event] in
        counts.append(state.events)
        return [.enrolled(.init(course: "c1", student: "s1"))]
      }
    }
    #expect(counts == [2, 3])
  }

  enum Enrolments: Aggregate {
    typealias Event = SeatCoursesV1.Event
    @Record struct State { var events: Int = 0 }
    static let name = "count"
    static let version = 1
    static var initial: State { State() }
    static func apply(_ entry: Entry<Event>, to state: inout State) { state.events += 1 }
  }

  @Test func `An error of the fold names the entry and the model`() async throws {
    struct Bad: Error {}
    struct Picky: DecisionModel {
      mutating func apply(_ entry: Entry<SeatCoursesV1.Event>) throws {
        if entry.position == 2 { throw Bad() }
      }
    }
    try await offer("c1", seats: 1)
    try await offer("c1", seats: 1)
    let error = await #expect(throws: AnnalsError.self) {
      try await store.decide(Picky(), matching: .all) { (_) throws -> [SeatCoursesV1.Event] in [] }
    }
    #expect(error?.code == .ruleFailed && error?.details.position == 2)
    #expect(error?.message.contains("Picky") == true)
  }

  @Test func `Sixty-four tasks book the seats that there are, each student ten courses at most`() async throws
  {
    // Every student wants twelve courses, and there are 400 seats for 768 wishes.
    for course in 0..<12 { try await offer("c\(course)", seats: 30 + 2 * (course % 6)) }
    let outcomes = try await withThrowingTaskGroup(of: [Booking.Refusal?].self) { group in
      for student in 0..<64 {
        group.addTask {
          var outcomes: [Booking.Refusal?] = []
          var generator = SeededGenerator(seed: UInt64(student))
          for course in (0..<12).shuffled(using: &generator) {
            do {
              // A conflict would not be caught.
              _ = try await store.enrol("s\(student)", in: "c\(course)", attempts: 5)
              outcomes.append(nil)
            } catch let refusal as Booking.Refusal {
              outcomes.append(refusal)
            }
          }
          return outcomes
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let booked = outcomes.count { $0 == nil }
    #expect(outcomes.count == 768)
    #expect(try store.checkEnrolments() == booked)
    // All seats are taken, unless those who wanted them had ten courses.
    let seats = (0..<12).reduce(0) { $0 + 30 + 2 * ($1 % 6) }
    #expect(booked <= seats && outcomes.contains(.full))
    #expect(store.log.core.decisionTurns.count == 0)
  }

  @Test func `Decisions with a tag in common take turns, so each is made once`() async throws {
    try await offer("c1", seats: 100)
    let made = try await withThrowingTaskGroup(of: Int.self) { group in
      for student in 0..<48 {
        group.addTask {
          var made = 0
          let booking = Booking(course: "c1", student: "s\(student % 5)")
          try await store.decide(booking, matching: booking.query, to: "enrolments") {
            (_) throws -> [SeatCoursesV1.Event] in
            made += 1
            return [.enrolled(.init(course: "c1", student: "s\(student % 5)"))]
          }
          return made
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(made == 48)
  }

  @Test func `A query without tags or types takes turns by types or with all its like`() throws {
    func keys(_ query: EventQuery<SeatCoursesV1.Event>) -> Set<DecisionKey> {
      QueryBasis(store: store, model: Seen(), name: "seen", query: query).keys
    }
    #expect(keys(.all) == [.everything])
    #expect(keys([\.courseOffered, \.left]) == [.type(0), .type(2)])
    #expect(keys(EventQuery([\.left], tags: ["a", "b"])) == [.tag("a"), .tag("b")])
    #expect(keys(.any(of: [EventQuery(tags: ["a"]), [\.left]])) == [.tag("a"), .type(2)])
    #expect(keys([]) == [])
  }
}
