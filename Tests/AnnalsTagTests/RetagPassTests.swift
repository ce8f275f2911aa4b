import Annals
import Foundation
import Testing

@testable import AnnalsLog
@testable import AnnalsMigration

/// Passes that compute tags again and are killed, fail, or set entries aside.
@Suite struct RetagPassTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private static func fill(_ url: URL, count: Int = 60) async throws {
    let store = try EventStore(at: url, plan: PlainCourses.self)
    for number in 0..<count {
      let event: PlainCoursesV1.Event =
        number % 3 == 0
        ? .planned(.init(courses: ["c\(number % 4)", "c\(number % 5)"], student: number % 7))
        : .enrolled(.init(course: "c\(number % 4)", student: number % 7))
      try await store.append([event], to: StreamName("s\(number % 2)"))
    }
  }

  /// The tags of all entries, by position.
  private func tags() throws -> [UInt64: [EventTag]] {
    try EventLog(at: place.url).read { snapshot in
      var found: [UInt64: [EventTag]] = [:]
      var entries = try snapshot.entries()
      while let entry = try entries.next() { found[entry.position.rawValue] = entry.tags }
      return found
    }
  }

  @Test(arguments: ["batchCommitted", "compared", "locked", "live", "sealed", "unlocked"])
  func `a pass that is killed and run again gives the same tags, and the store reads in between`(
    name: String
  ) async throws {
    try await Self.fill(place.url)
    let before = try tags()
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = place.url.path as String, name = name as String] in
      let point = try #require(PassPoint(rawValue: name))
      let store = try EventStore(at: URL(fileURLWithPath: path), plan: RetaggedToSecond.self)
      var options = MigrationOptions()
      (options.batch, options.durableBatch) = (16, 16)
      options.atPoint = { if $0 == point { kill(getpid(), SIGKILL) } }
      _ = try await store.migrate(options).report()
    }
    let isSwitched = ["sealed", "unlocked"].contains(name)
    let wanted = before.mapValues { _ in true }.keys.reduce(into: [UInt64: [EventTag]]()) { tags, position in
      let number = Int(position) - 1
      let courses = number % 3 == 0 ? Set([number % 4, number % 5]) : [number % 4]
      tags[position] = (courses.map { EventTag("course", "c\($0)") } + [EventTag("student", number % 7)])
        .sorted()
    }
    #expect(try tags() == (isSwitched ? wanted : before))
    #expect(try EventLog.verify(place.url).isClean)
    do {
      let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
      #expect(try await store.migrate().report().isDone == !isSwitched)
    }
    #expect(try tags() == wanted)
    #expect(try EventLog.verify(place.url).isClean)
    _ = try EventLog.rollback(place.url)
    #expect(try tags() == before)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a store without any tag gets its first ones by a pass`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: PlainCourses.self)
      try await store.append([.planned(.init(courses: ["c1", "c2"], student: 3))], to: "all")
    }
    #expect(try EventLog(at: place.url).info().tags == 0)
    let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
    #expect(try await store.migrate().report().retagged == 1)
    #expect(try tags() == [1: ["course:c1", "course:c2", "student:3"]])
    // Conditions and appends use the new table.
    let query = EventQuery<RetaggedV2.Event>(tags: ["student:3"])
    let next = RetaggedV2.Event.enrolled(.init(course: "c1", student: 3))
    do {
      try await store.append([next], unless: query)
      Issue.record("stored")
    } catch {
      #expect(error.code == .conflict && error.details.position == 1)
    }
    try await store.append([next], unless: query, after: 1)
    #expect(try EventLog.verify(place.url).isClean)
    // Later passes, with and without the plan, keep them.
    _ = try await store.log.compact().report()
    #expect(try tags()[1] == ["course:c1", "course:c2", "student:3"])
  }

  @Test func `tags that cannot be stored end the pass, also one that sets entries aside`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: PlainCourses.self)
      try await store.append(
        [
          .planned(.init(courses: ["c1"], student: 1)),
          .planned(.init(courses: (0..<64).map { "c\($0)" }, student: 1)),
        ], to: "all")
    }
    let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
    for isSettingAside in [false, true] {
      var options = MigrationOptions()
      if isSettingAside { options.unreadable = .quarantine }
      let error = await #expect(throws: AnnalsError.self) { try await store.migrate(options).report() }
      #expect(error?.code == .ruleFailed && error?.details.position == 2)
      #expect(error?.message.contains("65 tags") == true, "\(String(describing: error))")
      #expect(try EventLog.inspect(place.url).generation == 1)
    }
    #expect(try tags() == [1: [], 2: []])
    // Reads need no tags of the rule.
    var count = 0
    for try await entry in store.entries() where entry.position == 2 { count += 1 }
    #expect(count == 64)
  }

  @Test func `a long value is refused with its name, and without its text`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: PlainCourses.self)
      try await store.append(
        [.planned(.init(courses: [String(repeating: "x", count: 500)], student: 1))], to: "all")
    }
    let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
    let error = await #expect(throws: AnnalsError.self) { try await store.migrate().report() }
    #expect(error?.code == .ruleFailed)
    #expect(
      error?.message
        == "position 1, stream 'all': the Retag of stage 1.0.0 to 2.0.0 gives a tag named 'course' that cannot be stored, for it has 507 bytes; tag a shorter value, such as an id; the store is as it was"
    )
  }

  @Test func `an unchanged payload that cannot be read is set aside with its old tags`() async throws {
    do {
      let log = try EventLog(at: place.url)
      let kind = ("Enrolled", SchemaVersion(1, 0, 0))
      try await log.append(
        [
          NewEntry(
            type: kind.0, version: kind.1, payload: try Payload(["course": "c1", "student": "no number"]),
            tags: ["course:c1", "student:x"]),
          NewEntry(
            type: kind.0, version: kind.1, payload: try Payload(["course": "c1", "student": 4]),
            tags: ["course:c1", "student:x"]),
        ], to: "all")
    }
    let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
    let error = await #expect(throws: AnnalsError.self) { try await store.migrate().report() }
    #expect(error?.details.position == 1)
    var options = MigrationOptions()
    options.unreadable = .quarantine
    let report = try await store.migrate(options).report()
    #expect(report.quarantined == 1 && report.retagged == 1)
    #expect(try tags() == [1: ["course:c1", "student:x"], 2: ["course:c1", "student:4"]])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `events appended by the older release while the pass runs get the tags too`() async throws {
    try await Self.fill(place.url)
    let older = try EventLog(at: place.url)
    let store = try EventStore(at: place.url, plan: RetaggedToSecond.self)
    var options = MigrationOptions()
    (options.batch, options.durableBatch) = (16, 16)
    options.atPoint = { point in
      guard point == .verified else { return }
      let payload = try? Payload(["course": "c8", "student": 8])
      guard let payload else { return }
      _ = try? older.append(
        [NewEntry(type: "Enrolled", version: SchemaVersion(1, 0, 0), payload: payload)], to: "late")
    }
    #expect(try await store.migrate(options).report().isDone)
    #expect(try tags()[61] == ["course:c8", "student:8"])
    #expect(try EventLog.verify(place.url).isClean)
  }
}
