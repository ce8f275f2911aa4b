import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog

/// Closing and truncating streams.
@Suite struct StreamLimitTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  static func event(_ text: String = "") -> NewEntry {
    NewEntry(
      type: "Noted", version: nil,
      payload: Payload(stored: [0xa1, 0x61, 0x74, 0x60 + UInt8(text.utf8.count)] + Array(text.utf8)))
  }

  private func log() throws -> EventLog { try EventLog(at: place.url) }

  private func revisions(
    _ log: EventLog, _ stream: StreamName, from start: Revision? = nil, backwards: Bool = false
  ) throws -> [UInt64] {
    try log.read { snapshot in
      var entries = try snapshot.entries(in: stream, from: start, backwards: backwards)
      var found: [UInt64] = []
      while let entry = try entries.next() { found.append(entry.revision.rawValue) }
      return found
    }
  }

  private func sound() throws { #expect(try EventLog.verify(place.url).isClean) }

  @Test func `a closed stream refuses further appends with a typed error, and is read as before`()
    async throws
  {
    let log = try log()
    try await log.append([Self.event(), Self.event()], to: "a")
    let position = try await log.close("a", by: "jane", because: "the order is done")
    #expect(position == 3)
    let error = await #expect(throws: AnnalsError.self) { try await log.append([Self.event()], to: "a") }
    #expect(error?.code == .streamClosed)
    #expect(error?.details.stream == "a")
    #expect(try revisions(log, "a") == [0, 1])
    #expect(try log.read { try $0.state(of: "a") } == StreamState(revision: 1, oldest: 0, isClosed: true))
    // Other streams of the same call are not written either.
    await #expect(throws: AnnalsError.self) {
      try await log.append { call in
        call.append([Self.event()], to: "b")
        call.append([Self.event()], to: "a")
      }
    }
    #expect(try log.read { try $0.revision(of: "b") } == nil)
    // A check of a closed stream is no append to it.
    try await log.append { call in
      call.check("a", .revision(1))
      call.append([Self.event()], to: "b")
    }
    try sound()
  }

  @Test func `reopen reverses close`() async throws {
    let log = try log()
    try await log.append([Self.event()], to: "a")
    try await log.close("a")
    #expect(try await log.close("a") == nil, "it is closed already")
    #expect(try await log.reopen("a") == 3)
    #expect(try await log.reopen("a") == nil)
    let appended = try await log.append([Self.event()], to: "a", expecting: .revision(0))
    #expect(appended.revisions == [1])
    try sound()
  }

  @Test func `a repeated call to a closed stream gets its places`() async throws {
    let log = try log()
    var event = Self.event()
    event.id = UUID()
    let first = try await log.append([event], to: "a")
    try await log.close("a")
    let second = try await log.append([event], to: "a")
    #expect(second.wasRepeated && second.positions == first.positions)
  }

  @Test func `truncating hides older events from reads of the stream at once, in both directions`()
    async throws
  {
    let log = try log()
    try await log.append((0..<10).map { _ in Self.event() }, to: "a")
    try await log.truncate("a", before: 4)
    #expect(try revisions(log, "a") == [4, 5, 6, 7, 8, 9])
    #expect(try revisions(log, "a", from: 2) == [4, 5, 6, 7, 8, 9])
    #expect(try revisions(log, "a", from: 7) == [7, 8, 9])
    #expect(try revisions(log, "a", backwards: true) == [9, 8, 7, 6, 5, 4])
    #expect(try revisions(log, "a", from: 5, backwards: true) == [5, 4])
    #expect(try revisions(log, "a", from: 3, backwards: true) == [])
    // Reads of the whole log still see them.
    #expect(try log.read { try $0.head() } == 11)
    var count = 0
    try log.read { snapshot in
      var entries = try snapshot.entries()
      while let entry = try entries.next() { if entry.stream == "a" { count += 1 } }
    }
    #expect(count == 10)
    // A lower revision shows nothing again.
    #expect(try await log.truncate("a", before: 2) == nil)
    #expect(try revisions(log, "a").first == 4)
    try sound()
  }

  @Test func `truncating everything empties a stream, and the next append continues its revisions`()
    async throws
  {
    let log = try log()
    try await log.append([Self.event(), Self.event()], to: "a")
    try await log.truncate("a")
    #expect(try revisions(log, "a") == [])
    #expect(try log.read { try $0.state(of: "a")?.isEmpty } == true)
    let appended = try await log.append([Self.event()], to: "a")
    #expect(appended.revisions == [2])
    #expect(try revisions(log, "a") == [2])
    // A revision far after the head hides no event that is appended later.
    try await log.truncate("a", before: 1_000_000)
    #expect(try await log.append([Self.event()], to: "a").revisions == [3])
    #expect(try revisions(log, "a") == [3])
    try sound()
  }

  @Test(arguments: [
    (Annals.Expectation.noStream, true), (.revision(1), true), (.exists, false), (.any, true),
    (.revision(0), false),
  ])
  func `expectations of an emptied stream`(expectation: Annals.Expectation, isMet: Bool) async throws {
    let log = try log()
    try await log.append([Self.event(), Self.event()], to: "a")
    try await log.truncate("a")
    if isMet {
      let appended = try await log.append([Self.event()], to: "a", expecting: expectation)
      #expect(appended.revisions == [2])
    } else {
      let error = await #expect(throws: AnnalsError.self) {
        try await log.append([Self.event()], to: "a", expecting: expectation)
      }
      #expect(error?.code == .conflict)
    }
  }

  @Test func `a stream that never had an event cannot be closed or truncated`() async throws {
    let log = try log()
    for work in [LimitChange.close("a"), .reopen("a"), .truncate([("a", nil)])] {
      let error = await #expect(throws: AnnalsError.self) {
        _ = try await log.change(LogChange(.limit(work), author: "", reason: ""))
      }
      #expect(error?.code == .noSuchStream)
    }
    #expect(try log.read { try $0.head() } == nil)
  }

  @Test func `the stream of system entries takes nothing from callers`() async throws {
    let log = try log()
    let error = await #expect(throws: AnnalsError.self) {
      try await log.append([Self.event()], to: SystemEntry.stream)
    }
    #expect(error?.code == .invalidName)
    let other = await #expect(throws: AnnalsError.self) { try await log.close(SystemEntry.stream) }
    #expect(other?.code == .invalidName)
  }

  @Test func `a change is a system entry that raw reads show and that names no stream`() async throws {
    let log = try log()
    try await log.append([Self.event()], to: "a person's name")
    let position = try #require(try await log.close("a person's name", by: "jane", because: "done"))
    let entry = try #require(try log.read { try $0.entry(at: position) })
    #expect(entry.stream == SystemEntry.stream)
    #expect(entry.content == .stub(reason: "done"))
    let bytes = try log.read { snapshot in try snapshot.reader.bytes(at: position).copied }
    #expect(!String(decoding: bytes, as: UTF8.self).contains("person"))
    #expect(String(decoding: bytes, as: UTF8.self).contains("jane"))
  }

  @Test func `limits hold after the store is opened again, and after a compacting pass`() async throws {
    do {
      let log = try log()
      try await log.append((0..<6).map { _ in Self.event() }, to: "a")
      try await log.append([Self.event()], to: "b")
      try await log.truncate("a", before: 4)
      try await log.close("b")
    }
    let log = try log()
    #expect(try revisions(log, "a") == [4, 5])
    let report = try await log.compact().report()
    #expect(report.generation == 2)
    #expect(try revisions(log, "a") == [4, 5])
    await #expect(throws: AnnalsError.self) { try await log.append([Self.event()], to: "b") }
    // The hidden events are stubs now, also for reads of the whole log.
    var stubs = 0
    try log.read { snapshot in
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        if entry.stream == "a", case .stub = entry.content { stubs += 1 }
      }
    }
    #expect(stubs == 4)
    try sound()
    #expect(try await log.compact().report().generation == 3)
    #expect(try revisions(log, "a") == [4, 5])
    try sound()
  }

  @Test func `a library that does not know closed streams is refused`() async throws {
    let log = try log()
    try await log.append([Self.event()], to: "a")
    #expect(try log.read { try $0.reader.requires(.streams) } == false)
    try await log.close("a")
    #expect(try log.read { try $0.reader.requires(.streams) })
    #expect(StoreMeta.Requirement.streams.isForReading)
  }
}
