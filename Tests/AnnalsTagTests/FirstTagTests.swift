import Annals
import Foundation
import Synchronization
import Testing

@testable import AnnalsLog
@testable import AnnalsMigration

/// The first events with tags of a store, in another process and while a pass runs.
@Suite struct FirstTagTests {
  private static func event(_ tags: [EventTag]) -> NewEntry {
    NewEntry(type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: tags)
  }

  private static func positions(_ log: EventLog, _ query: LogQuery) throws -> [UInt64] {
    try log.read { snapshot in
      var found: [UInt64] = []
      var entries = try snapshot.entries(matching: query)
      while let entry = try entries.next() { found.append(entry.position.rawValue) }
      return found
    }
  }

  private static func epoch(_ log: EventLog) throws -> UInt64 {
    try log.read { snapshot throws(AnnalsError) in try snapshot.reader.schemaEpoch() }
  }

  /// Appends an event with a tag in another process.
  private static func appendElsewhere(_ path: String) async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let log = try EventLog(at: URL(fileURLWithPath: path))
      try await log.append([FirstTagTests.event(["t", "child"])], to: "events")
    }
  }

  @Test func `tags that begin in another process are seen by readers, conditions and writers of this one`()
    async throws
  {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    let query: LogQuery = [.init(tags: ["t"])]
    try await log.append([Self.event([])], to: "events")
    #expect(try Self.positions(log, query) == [])
    let before = try Self.epoch(log)
    await Self.appendElsewhere(place.url.path)
    // The newest commit is the other one's: each of these looks at it first.
    let error = await #expect(throws: AnnalsError.self) {
      try await log.append([Self.event([])], to: "events", unless: query, after: 1)
    }
    #expect(error?.code == .conflict && error?.details.position == 2)
    #expect(try Self.positions(log, query) == [2])
    try await log.append([Self.event(["t"])], to: "events")
    #expect(try Self.positions(log, query) == [2, 3])
    #expect(try Self.epoch(log) == before)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a live read follows tags that begin in another process`() async throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    try await log.append([Self.event([])], to: "events")
    let query: LogQuery = [.init(tags: ["t"])]
    let found = Task { () async throws -> Position? in
      for try await entry in log.subscribe(from: .beginning, matching: query) { return entry.entry.position }
      return nil
    }
    await Self.appendElsewhere(place.url.path)
    #expect(try await found.value == 2)
  }

  @Test(arguments: [PassPoint.created, .batchCommitted, .copied, .verified, .locked])
  func `a pass goes on while the first tags come, from many writers`(point: PassPoint) async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    for _ in 0..<200 { try await log.append([Self.event([])], to: "notes") }
    let begin = Begin()
    var options = MigrationOptions()
    options.batch = 10
    options.durableBatch = 10
    options.atPoint = { if $0 == point { begin.open() } }
    let writers = Task {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 0..<4 {
          group.addTask {
            let log = try EventLog(at: place.url)
            while !begin.isOpen { try await Task.sleep(for: .milliseconds(1)) }
            for number in 0..<25 {
              try await log.append(
                [Self.event([EventTag("writer", writer), "all", EventTag("n", number)])], to: "w\(writer)")
            }
            return 25
          }
        }
        return try await group.reduce(0, +)
      }
    }
    let report = try await log.compact(options).report()
    #expect(report.isDone && report.generation == 2)
    #expect(try await writers.value == 100)
    for writer in 0..<4 {
      #expect(try Self.positions(log, [.init(tags: [EventTag("writer", writer)])]).count == 25)
    }
    #expect(try Self.positions(log, [.init(tags: ["all"])]) == (201...300).map { UInt64($0) })
    #expect(try EventLog.verify(place.url).isClean)
    let inspected = try EventLog.inspect(place.url)
    #expect(inspected.generation == 2 && inspected.requires.contains("tags"))
  }

  @Test(arguments: [PassPoint.batchCommitted, .verified, .lastRound])
  func `a pass that upcasts goes on while the first tags come`(point: PassPoint) async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    do {
      let first = try EventStore(at: place.url, plan: TagCoursesFirst.self)
      for number in 0..<60 {
        try await first.append([.planned(.init(rooms: ["a\(number)", "b\(number)"]))], to: "rooms")
      }
    }
    let store = try EventStore(at: place.url, plan: TagCoursesPlan.self)
    let begin = Begin()
    var options = MigrationOptions()
    options.batch = 10
    options.durableBatch = 10
    options.atPoint = { if $0 == point { begin.open() } }
    let writer = Task {
      while !begin.isOpen { try await Task.sleep(for: .milliseconds(1)) }
      for number in 0..<30 {
        try await store.append(
          [.left(.init(course: "c1", student: number)), .roomPlanned(.init(room: "new"))], to: "seats",
          unless: EventQuery(tags: [EventTag("student", number)]))
      }
    }
    #expect(try await store.migrate(options).report().isDone)
    try await writer.value
    let positions = try store.read { (snapshot) throws in
      var found: [UInt64] = []
      var entries = try snapshot.entries(matching: EventQuery([\.left], tags: ["course:c1"]))
      while let entry = try entries.next() { found.append(entry.position.rawValue) }
      return found
    }
    #expect(positions == Array(stride(from: 61, through: 119, by: 2)))
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append(
        [.roomPlanned(.init(room: "x"))], to: "seats", unless: EventQuery(tags: ["student:29"]))
    }
    #expect(error?.code == .conflict && error?.details.position == 119)
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try EventLog.inspect(place.url).generation == 2)
  }

  @Test func `an interrupted pass continues after the first tags`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    for _ in 0..<100 { try await log.append([Self.event([])], to: "events") }
    let (begin, end) = (Begin(), Begin())
    var options = MigrationOptions()
    options.batch = 10
    options.durableBatch = 10
    options.atPoint = {
      guard $0 == .batchCommitted else { return }
      begin.open()
      while !end.isOpen { Thread.sleep(forTimeInterval: 0.001) }
    }
    let run = try log.compact(options)
    while !begin.isOpen { try await Task.sleep(for: .milliseconds(1)) }
    run.stop()
    end.open()
    let stopped = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(stopped?.code == .cancelled)
    try await log.append([Self.event(["t"])], to: "events")
    var again = MigrationOptions()
    again.unfinished = .mustBeThere
    #expect(try await log.compact(again).report().isDone)
    #expect(try Self.positions(log, [.init(tags: ["t"])]) == [101])
    #expect(try EventLog.verify(place.url).isClean)
  }
}

/// Opens once.
private final class Begin: Sendable {
  private let state = Mutex(false)
  var isOpen: Bool { state.withLock { $0 } }
  func open() { state.withLock { $0 = true } }
}
