import Annals
import Foundation
import Testing

/// Queries over events of a plan.
@Suite struct TypedQueryTests {
  private typealias Store = EventStore<FirstCourses>

  private static func enrolled(_ course: String, _ student: String) -> CoursesV1.Event {
    .enrolled(.init(course: course, student: student))
  }

  private static func positions(
    _ store: Store, _ query: EventQuery<CoursesV1.Event>, backwards: Bool = false, limit: Int = .max
  ) throws -> [UInt64] {
    try store.read { snapshot in
      var found: [UInt64] = []
      var entries = try snapshot.entries(matching: query, backwards: backwards, limit: limit)
      while let entry = try entries.next() { found.append(entry.position.rawValue) }
      return found
    }
  }

  private static func fill(_ place: TemporaryStore) async throws -> Store {
    let store = try Store(at: place.url, plan: FirstCourses.self)
    try await store.append([enrolled("c1", "s1"), enrolled("c1", "s2"), enrolled("c2", "s1")], to: "a")
    try await store.append(
      [
        NewEvent(.noted(.init(text: "x")), tags: ["course:c1", "extra"]), NewEvent(.noted(.init(text: "y"))),
      ],
      to: "b")
    try await store.append([.left(.init(course: "c1", student: "s1"))], to: "a")
    return store
  }

  @Test func `an event has the tags that its fields declare and those that the call adds`() async throws {
    let place = try TemporaryStore()
    let store = try await Self.fill(place)
    let tags = try store.read { snapshot in
      var tags: [[EventTag]] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() { tags.append(entry.tags) }
      return tags
    }
    #expect(
      tags == [
        ["course:c1", "student:s1"], ["course:c1", "student:s2"], ["course:c2", "student:s1"],
        ["course:c1", "extra"], [], ["course:c1", "student:s1"],
      ])
  }

  @Test func `an item matches any of its types with all of its tags, and a query any of its items`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try await Self.fill(place)
    #expect(try Self.positions(store, EventQuery(tags: ["course:c1"])) == [1, 2, 4, 6])
    #expect(try Self.positions(store, EventQuery(tags: ["course:c1", "student:s1"])) == [1, 6])
    #expect(try Self.positions(store, EventQuery([\.enrolled], tags: ["course:c1", "student:s1"])) == [1])
    #expect(try Self.positions(store, EventQuery([\.enrolled, \.left])) == [1, 2, 3, 6])
    let either = EventQuery<CoursesV1.Event>(items: [.init([\.left]), .init(tags: ["student:s2"])])
    #expect(try Self.positions(store, either) == [2, 6])
    let twice = EventQuery<CoursesV1.Event>.any(of: [
      EventQuery(tags: ["course:c1"]), EventQuery(tags: ["student:s1"]), EventQuery([\.enrolled]),
    ])
    #expect(try Self.positions(store, twice) == [1, 2, 3, 4, 6])
    #expect(try Self.positions(store, twice, backwards: true) == [6, 4, 3, 2, 1])
    #expect(try Self.positions(store, twice, backwards: true, limit: 2) == [6, 4])
    #expect(try Self.positions(store, []) == [])
    #expect(try Self.positions(store, .all) == [1, 2, 3, 4, 5, 6])
    #expect(try Self.positions(store, EventQuery(tags: ["course:none"])) == [])
  }

  @Test func `sequences and streams are read by query, from, after and through`() async throws {
    let place = try TemporaryStore()
    let store = try await Self.fill(place)
    var found: [UInt64] = []
    let query = EventQuery<CoursesV1.Event>(tags: ["course:c1"])
    for try await entry in store.entries(matching: query, after: 1, through: 4) {
      found.append(entry.position.rawValue)
    }
    #expect(found == [2, 4])
    found = []
    for try await entry in store.entries(in: "a", matching: EventQuery([\.enrolled]), from: 1, through: 2) {
      found.append(entry.revision.rawValue)
    }
    #expect(found == [1, 2])
    found = []
    for try await entry in store.entries(in: "a", after: 2, through: 1, backwards: true) {
      found.append(entry.revision.rawValue)
    }
    #expect(found == [1])
    found = []
    for try await entry in store.entries(in: "a", after: 0, backwards: true) {
      found.append(entry.revision.rawValue)
    }
    #expect(found.isEmpty)
  }

  @Test func `a live subscription delivers each match once, and its checkpoint passes other entries`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try await Self.fill(place)
    let query = EventQuery<CoursesV1.Event>(tags: ["course:c1"])
    let reader = Task {
      var found: [UInt64] = []
      for try await step in store.subscribe(from: .beginning, to: query) {
        found.append(step.entry.position.rawValue)
        if found.count == 6 { break }
      }
      return found
    }
    for number in 0..<40 {
      try await store.append([Self.enrolled(number % 20 == 7 ? "c1" : "c9", "s\(number)")], to: "later")
    }
    #expect(try await reader.value == [1, 2, 4, 6, 14, 34])
    let end = try store.read { try $0.head() }
    var checkpoint: Checkpoint?
    for try await step in store.subscribe(from: .beginning, to: query).steps {
      if case .caughtUp(let place) = step {
        checkpoint = place
        break
      }
    }
    #expect(checkpoint?.position == end)
  }

  @Test func `older events match where a rule makes them match, and conditions compare the parts of a split`()
    async throws
  {
    let place = try TemporaryStore()
    do {
      let old = try Store(at: place.url, plan: FirstCourses.self)
      try await old.append([.booked(.init(courses: ["c1", "c2"], student: "s1"))], to: "old")
      try await old.append([.left(.init(course: "c1", student: "s1"))], to: "old")
    }
    let store = try EventStore(at: place.url, plan: Courses.self)
    let query = EventQuery<CoursesV2.Event>([\.enrolled], tags: ["course:c2"])
    let events = try store.read { snapshot in
      var events: [CoursesV2.Event] = []
      var entries = try snapshot.entries(matching: query)
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
    #expect(events.count == 2)
    let next = CoursesV2.Event.enrolled(.init(course: "c2", student: "s2"))
    await #expect(throws: AnnalsError.self) { try await store.append([next], unless: query) }
    do { try await store.append([next], unless: query) } catch {
      #expect(error.code == .conflict)
      #expect(error.details.position == 1)
    }
    try await store.append([next], unless: query, after: 1)
    // A booking never becomes a departure, although it has the tag.
    try await store.append([next], unless: EventQuery([\.left], tags: ["course:c2"]))
    #expect(try store.read { try $0.revision(of: "events") } == 1)
  }

  @Test func `of many calls with the same condition one is stored`() async throws {
    let place = try TemporaryStore()
    let store = try Store(at: place.url, plan: FirstCourses.self)
    let query = EventQuery<CoursesV1.Event>([\.enrolled], tags: ["course:c1"])
    let stored = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          do {
            try await store.append([Self.enrolled("c1", "s\(number)")], unless: query)
            return true
          } catch {
            return (error as? AnnalsError)?.code != .conflict
          }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(stored == 1)
    #expect(try store.read { try $0.head() } == 1)
  }

  @Test func `a repeated call is recognised before its condition, and an expectation before both`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try Store(at: place.url, plan: FirstCourses.self)
    let query = EventQuery<CoursesV1.Event>(tags: ["student:s1"])
    let call = [NewEvent(Self.enrolled("c1", "s1"), id: UUID())]
    let first = try await store.append(call, to: "a", expecting: .noStream, unless: query)
    let second = try await store.append(call, to: "a", expecting: .noStream, unless: query)
    #expect(second.wasRepeated && second.positions == first.positions)
    do {
      try await store.append([Self.enrolled("c2", "s1")], to: "a", expecting: .noStream, unless: query)
      Issue.record("stored")
    } catch {
      #expect(error.code == .conflict && error.details.violations.count == 1)
    }
    // Also across streams, and from code that is not asynchronous.
    do {
      try await store.append(unless: query) { call in
        call.append([Self.enrolled("c2", "s2")], to: "b")
        call.check("a", .revision(0))
      }
      Issue.record("stored")
    } catch {
      #expect(error.code == .conflict && error.details.position == 1)
    }
    try await store.append(unless: query, after: 1) { call in
      call.append([Self.enrolled("c2", "s2")], to: "b")
      call.check("a", .revision(0))
    }
    #expect(try store.read { try $0.head() } == 2)
  }

  @Test func `tags that are too long, too many or not allowed are refused with nothing written`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try Store(at: place.url, plan: FirstCourses.self)
    let note = CoursesV1.Event.noted(.init(text: "x"))
    func refuses(_ tags: [EventTag], _ code: AnnalsError.Code) async {
      do {
        try await store.append([NewEvent(note, tags: tags)], to: "a")
        Issue.record("stored \(tags.count) tags")
      } catch {
        #expect(error.code == code)
      }
    }
    await refuses([EventTag(String(repeating: "x", count: 501))], .invalidName)
    await refuses([""], .invalidName)
    await refuses(["a\0b"], .invalidName)
    await refuses((0...64).map { EventTag("t\($0)") }, .tooLarge)
    #expect(try store.read { try $0.head() } == nil)
    let most = (0..<64).map { EventTag(String(repeating: "t", count: 490) + "\($0)") }
    try await store.append([NewEvent(note, tags: most + most)], to: "a")
    for tag in most { #expect(try Self.positions(store, EventQuery(tags: [tag])) == [1]) }
    #expect(try EventLog.verify(place.url).isClean)
    do {
      _ = try Self.positions(store, EventQuery(tags: [EventTag(String(repeating: "x", count: 501))]))
      Issue.record("read")
    } catch let error as AnnalsError {
      #expect(error.code == .invalidName)
    }
  }

  @Test func `texts that Swift considers equal are two tags`() async throws {
    let place = try TemporaryStore()
    let store = try Store(at: place.url, plan: FirstCourses.self)
    let note = CoursesV1.Event.noted(.init(text: "x"))
    try await store.append(
      [NewEvent(note, tags: ["caf\u{e9}"]), NewEvent(note, tags: ["cafe\u{301}"])], to: "a")
    #expect(try Self.positions(store, EventQuery(tags: ["caf\u{e9}"])) == [1])
    #expect(try Self.positions(store, EventQuery(tags: ["cafe\u{301}"])) == [2])
  }

  @Test func `tags survive a pass, a rollback, a backup and a repair`() async throws {
    let place = try TemporaryStore()
    do {
      let old = try Store(at: place.url, plan: FirstCourses.self)
      for number in 0..<40 {
        try await old.append(
          [.booked(.init(courses: ["c\(number % 3)", "c\(number % 5)"], student: "s\(number % 7)"))],
          to: "old")
      }
    }
    func check(_ store: EventStore<Courses>) throws {
      for course in 0..<5 {
        let query = EventQuery<CoursesV2.Event>([\.enrolled], tags: ["course:c\(course)"])
        let found = try store.read { snapshot in
          var found: [UInt64] = []
          var entries = try snapshot.entries(matching: query)
          while let entry = try entries.next() {
            if found.last != entry.position.rawValue { found.append(entry.position.rawValue) }
          }
          return found
        }
        let expected = (0..<40).filter { $0 % 3 == course || $0 % 5 == course }.map { UInt64($0 + 1) }
        #expect(found == expected)
      }
      #expect(try EventLog.verify(place.url).isClean)
    }
    do {
      let store = try EventStore(at: place.url, plan: Courses.self)
      try check(store)
      #expect(try await store.migrate().report().isDone)
      try check(store)
    }
    _ = try EventLog.rollback(place.url)
    do {
      let store = try EventStore(at: place.url, plan: Courses.self)
      try check(store)
      #expect(try await store.migrate().report().isDone)
      try check(store)
    }
    _ = try EventLog.discardPrevious(place.url)
    let copy = place.directory.appendingPathComponent("copy.annals")
    try EventLog(at: place.url).backup(to: copy)
    try check(EventStore(at: copy, plan: Courses.self))
    _ = try EventLog.repair(place.url)
    try check(EventStore(at: place.url, plan: Courses.self))
  }
}
