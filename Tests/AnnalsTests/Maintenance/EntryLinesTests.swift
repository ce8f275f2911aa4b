import Foundation
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Entries of a log as lines of JSON.
@Suite struct EntryLinesTests {
  /// Entries 1 to 7: three of stream `a`, four of `b`.
  private func filled(_ place: TemporaryStore) async throws -> EventLog {
    let log = try place.open()
    for number in 1...7 {
      try await log.append(
        [NewEntry(type: "T", version: nil, payload: try Payload(["n": .init(number)]))],
        to: number % 2 == 0 ? "a" : "b")
    }
    return log
  }

  private func positions(_ log: EventLog, _ selection: EntrySelection) throws -> [Int] {
    try log.lines(selection).compactMap { line in
      line.firstMatch(of: /^{"position":(\d+),/).flatMap { Int($0.1) }
    }
  }

  @Test func `a line has its members in this order`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let id = try #require(UUID(uuidString: "C0FFEE00-0000-4000-8000-00000000ABCD"))
    try await log.append(
      [
        NewEntry(
          type: "Placed", version: SchemaVersion(1, 2, 3), payload: try Payload(["text": "ä\n", "n": 5.0]),
          id: id,
          metadata: ["by": "me"], time: Timestamp(microseconds: 1)),
        NewEntry(type: "Placed", version: nil, payload: try Payload([:]), time: Timestamp(microseconds: -1)),
      ], to: "a/b")
    #expect(
      try log.lines() == [
        #"{"position":1,"stream":"a/b","revision":0,"type":"Placed","version":"1.2.3","time":"1970-01-01T00:00:00.000001Z","id":"c0ffee00-0000-4000-8000-00000000abcd","metadata":{"by":"me"},"data":{"n":5.0,"text":"ä\n"}}"#,
        #"{"position":2,"stream":"a/b","revision":1,"type":"Placed","version":null,"time":"1969-12-31T23:59:59.999999Z","data":{}}"#,
      ])
  }

  @Test func `a stub says why, and every part of a split has its path`() throws {
    func line(_ content: LogEntry.Content) throws -> String {
      var writer = JSONWriter()
      try writer.entry(
        LogEntry(
          position: 9, stream: "a", revision: 3, type: "Old", version: SchemaVersion(1, 0, 0),
          time: Timestamp(microseconds: 0), id: nil, metadata: [:], isEndOfCall: true, content: content))
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    let before = #"{"position":9,"stream":"a","revision":3,"#
    let time = #""time":"1970-01-01T00:00:00.000000Z","#
    #expect(
      try line(.stub(reason: "erased")) == before
        + #""type":"Old","version":"1.0.0","# + time + #""stub":"erased"}"# + "\n")
    let parts: [LogEntry.Part] = [
      .init(path: [0], type: "A", version: SchemaVersion(2, 0, 0), payload: try Payload(["n": 1])),
      .init(path: [1, 4], type: "B", version: nil, payload: try Payload(["n": 2])),
    ]
    #expect(
      try line(.parts(parts)) == before
        + #""type":"A","version":"2.0.0","# + time + #""path":[0],"data":{"n":1}}"# + "\n" + before
        + #""type":"B","version":null,"# + time + #""path":[1,4],"data":{"n":2}}"# + "\n")
  }

  @Test func `a selection names entries of the log by position`() async throws {
    let place = try TemporaryStore()
    let log = try await filled(place)
    #expect(try positions(log, .init()) == Array(1...7))
    #expect(try positions(log, .init(start: 3)) == Array(3...7))
    #expect(try positions(log, .init(start: 3, limit: 2)) == [3, 4])
    #expect(try positions(log, .init(backwards: true)) == [7, 6, 5, 4, 3, 2, 1])
    #expect(try positions(log, .init(start: 3, backwards: true)) == [3, 2, 1])
    #expect(try positions(log, .init(start: 100, backwards: true, limit: 1)) == [7])
    #expect(try positions(log, .init(start: 8)) == [])
    #expect(try positions(log, .init(start: .max)) == [])
    #expect(try positions(log, .init(limit: 0)) == [])
  }

  @Test func `a selection names entries of a stream by revision`() async throws {
    let place = try TemporaryStore()
    let log = try await filled(place)
    #expect(try positions(log, .init(stream: "b")) == [1, 3, 5, 7])
    #expect(try positions(log, .init(stream: "b", start: 1, limit: 2)) == [3, 5])
    #expect(try positions(log, .init(stream: "b", backwards: true)) == [7, 5, 3, 1])
    #expect(try positions(log, .init(stream: "b", start: 0, backwards: true)) == [1])
    #expect(try positions(log, .init(stream: "b", start: 4)) == [])
    #expect(try positions(log, .init(stream: "none")) == [])
    #expect(throws: AnnalsError.self) { try positions(log, .init(stream: "")) }
  }

  @Test(arguments: [false, true], [false, true])
  func `pages are whole lines and join without a gap`(ofStream: Bool, backwards: Bool) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let payload = try Payload(["text": .text(String(repeating: "x", count: 100_000))])
    try await log.append((1...20).map { _ in NewEntry(type: "T", version: nil, payload: payload) }, to: "a")
    let selection = EntrySelection(stream: ofStream ? "a" : nil, backwards: backwards)
    var pages = try EntryLines(log, selection)
    var count = 0
    while let page = try pages.nextPage() {
      #expect(page.last == 0x0a)
      #expect(page.count < 400_000)
      count += 1
    }
    #expect(count > 3)
    #expect(pages.count == 20)
    #expect(try positions(log, selection) == (backwards ? (1...20).reversed() : Array(1...20)))
  }

  @Test func `reading ends at the head that the log had when it began`() async throws {
    let place = try TemporaryStore()
    let log = try await filled(place)
    var lines = try EntryLines(log)
    var ofStream = try EntryLines(log, EntrySelection(stream: "a"))
    try await log.append([try .placed(8)], to: "a")
    while try lines.nextPage() != nil {}
    while try ofStream.nextPage() != nil {}
    #expect(lines.count == 7)
    #expect(ofStream.count == 3)
  }

  @Test func `the raw form shows the header and the stored bytes`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let id = try #require(UUID(uuidString: "C0FFEE00-0000-4000-8000-00000000ABCD"))
    try await log.append(
      [
        NewEntry(
          type: "T", version: SchemaVersion(1, 0, 0), payload: try Payload(["n": 1]),
          time: .init(microseconds: 0)),
        NewEntry(
          type: "T", version: SchemaVersion(1, 0, 0), payload: try Payload(["n": 2]), id: id,
          metadata: ["a": 1],
          time: .init(microseconds: 0)),
      ], to: "s")
    let lines = try log.lines(EntrySelection(isRaw: true)).map {
      $0.replacing(/"crc32c":"[0-9a-f]{8}"/, with: "")
    }
    let kind =
      #""kind":1,"type":"T","version":"1.0.0","time":"1970-01-01T00:00:00.000000Z","stream":"s","streamID":1,"#
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix(#"{"position":1,"bytes":"#))
    #expect(
      lines[0].contains(
        #""format":1,"flags":["first","rows"],,"# + kind + #""revision":0,"links":[],"rows":"01"#))
    #expect(lines[0].hasSuffix(#","payload":"a1616e01"}"#))
    #expect(
      lines[1].hasSuffix(
        #""format":1,"flags":["endOfCall","id","metadata"],,"# + kind
          + #""revision":1,"links":[1],"id":"c0ffee00-0000-4000-8000-00000000abcd","metadata":"a1616101","payload":"a1616e02"}"#
      ))
    #expect(try log.lines(EntrySelection(stream: "s", start: 1, isRaw: true)).count == 1)
  }

  @Test func `a damaged entry ends the lines after those before it`() async throws {
    let place = try TemporaryStore()
    var log: EventLog? = try place.open()
    for number in 1...9 {
      try await log?.append(
        [NewEntry(type: "T", version: nil, payload: try Payload(["m": .init("find-me-\(number)")]))], to: "a")
    }
    log = nil
    let file = place.url.appendingPathComponent("log-000001.mdb")
    var bytes = try Data(contentsOf: file)
    var start = bytes.startIndex
    while let found = bytes.range(of: Data("find-me-6".utf8), in: start..<bytes.endIndex) {
      bytes[found.lowerBound] ^= 0x20
      start = found.upperBound
    }
    try bytes.write(to: file)
    let damaged = try place.open(StoreOptions(access: .readOnly))
    var lines = try EntryLines(damaged)
    let page = try #require(try lines.nextPage())
    #expect(page.count { $0 == 0x0a } == 5)
    for _ in 0..<2 {
      let found = await error { () throws(AnnalsError) in _ = try lines.nextPage() }
      #expect(found?.code == .damaged)
      #expect(found?.details.position == 6)
    }
  }

  @Test func `lines that no import takes are counted, with the first`() throws {
    func entry(_ position: Position, _ content: LogEntry.Content) -> LogEntry {
      LogEntry(
        position: position, stream: "a", revision: 0, type: "T", version: nil,
        time: Timestamp(microseconds: 0), id: nil, metadata: [:], isEndOfCall: true, content: content)
    }
    let payload = try Payload(["n": "12345"])
    var lines = LongLines(lineLimit: 100, payloadLimit: payload.bytes.count)
    lines.add(101, of: entry(1, .payload(payload)))
    lines.add(200, of: entry(2, .stub(reason: "erased")))
    #expect(lines.count == 0 && lines.first == nil)
    lines.add(102, of: entry(3, .payload(payload)))
    lines.add(50, of: entry(4, .payload(try Payload(["n": "123456"]))))
    #expect(lines.count == 2 && lines.first == 3)
    // An import by default has the limits that a dump assumes.
    #expect(StoreOptions().maximumPayload == LongLines().payloadLimit)
  }
}
