import Annals
import Testing

/// Logs with many tags, and tags with many events.
///
/// The numbers are small in the test command. Tests/Scripts/many-tags.sh runs a million tags and 100,000
/// events (docs/reliability.md).
@Suite(.serialized) struct ManyTagsTests {
  /// The number of different tags, 50 for each event.
  private static let tags = RunLength.count("ANNALS_TAGS", usual: 20_000)
  /// The number of events with one tag.
  private static let events = RunLength.count("ANNALS_TAG_EVENTS", usual: 3_000)
  private static let tagsPerEvent = 50

  private static func event(_ tags: [EventTag]) -> NewEntry {
    NewEntry(type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: tags)
  }

  private static func positions(
    _ snapshot: borrowing LogSnapshot, _ query: LogQuery, after: Position? = nil, backwards: Bool = false,
    limit: Int = .max
  ) throws -> [UInt64] {
    var found: [UInt64] = []
    var entries = try snapshot.entries(matching: query, after: after, backwards: backwards, limit: limit)
    while let entry = try entries.next() { found.append(entry.position.rawValue) }
    return found
  }

  /// The tag with a number. Neighbouring numbers are far apart in the order of texts.
  private static func tag(_ number: Int) -> EventTag {
    EventTag("\(String(String(number).reversed())):tag")
  }

  @Test func `a log with many tags appends, answers, verifies and passes`() async throws {
    let place = try TemporaryStore()
    let count = Self.tags / Self.tagsPerEvent
    let seed = RunLength.seed
    var random = SeededGenerator(seed: seed)
    do {
      let log = try EventLog(at: place.url)
      for start in stride(from: 0, to: count, by: 100) {
        let events = (start..<min(start + 100, count)).map { event in
          Self.event((0..<Self.tagsPerEvent).map { Self.tag(event * Self.tagsPerEvent + $0) })
        }
        try await log.append(events, to: "events")
      }
    }
    let log = try EventLog(at: place.url)
    for generation in 1...2 as ClosedRange<UInt64> {
      try log.read { (snapshot) throws in
        for _ in 0..<500 {
          let number = Int.random(in: 0..<count * Self.tagsPerEvent, using: &random)
          let position = UInt64(number / Self.tagsPerEvent) + 1
          let query: LogQuery = [.init(tags: [Self.tag(number)])]
          #expect(try Self.positions(snapshot, query) == [position], "seed \(seed), tag \(number)")
          #expect(try Self.positions(snapshot, query, after: Position(position)) == [])
          #expect(try Self.positions(snapshot, [.init(tags: [EventTag("\(number):other")])]) == [])
        }
        let pair: LogQuery = [.init(tags: [Self.tag(0), Self.tag(1)])]
        let strangers: LogQuery = [.init(tags: [Self.tag(0), Self.tag(Self.tagsPerEvent)])]
        #expect(try Self.positions(snapshot, pair) == [1] && Self.positions(snapshot, strangers) == [])
      }
      for _ in 0..<50 {
        let number = Int.random(in: 0..<count * Self.tagsPerEvent, using: &random)
        let query: LogQuery = [.init(tags: [Self.tag(number)])]
        let position = UInt64(number / Self.tagsPerEvent) + 1
        let error = await #expect(throws: AnnalsError.self) {
          try await log.append([Self.event([])], unless: query)
        }
        #expect(error?.details.position?.rawValue == position, "seed \(seed), tag \(number)")
        try await log.append(unless: query, after: Position(position)) { call in
          call.check("events", .exists)
        }
      }
      let fresh: EventTag = "fresh:\(generation)"
      try await log.append([Self.event([fresh])], to: "events", unless: [.init(tags: [fresh])])
      #expect(try log.info().tags == UInt64(count * Self.tagsPerEvent) + generation)
      let report = try EventLog.verify(place.url)
      #expect(report.isClean, "\(report.findings.prefix(3))")
      if generation == 1 { #expect(try await log.compact().report().isDone) }
    }
  }

  @Test func `a tag with many events is read from any of them on, in both directions`() async throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    // Every other event has the tag, so that the chain is not one run.
    for start in stride(from: 0, to: Self.events, by: 500) {
      let events = (start..<min(start + 500, Self.events)).flatMap { number in
        [Self.event(["hot"]), Self.event([EventTag("n", number)])]
      }
      try await log.append(events, to: "events")
    }
    let expected = (0..<Self.events).map { UInt64(2 * $0 + 1) }
    let seed = RunLength.seed
    var random = SeededGenerator(seed: seed)
    for generation in 1...2 {
      try log.read { (snapshot) throws in
        let query: LogQuery = [.init(tags: ["hot"])]
        #expect(try Self.positions(snapshot, query) == expected)
        #expect(try Self.positions(snapshot, query, backwards: true) == expected.reversed())
        for _ in 0..<100 {
          let index = Int.random(in: 0..<Self.events, using: &random)
          let after = Position(expected[index])
          let at: Comment = "seed \(seed), generation \(generation), after \(after)"
          #expect(
            try Self.positions(snapshot, query, after: after, limit: 3)
              == Array(expected[(index + 1)...].prefix(3)), at)
          #expect(
            try Self.positions(snapshot, query, after: after, backwards: true, limit: 3)
              == Array(expected[..<index].reversed().prefix(3)), at)
        }
      }
      #expect(try EventLog.verify(place.url).isClean)
      if generation == 1 { #expect(try await log.compact().report().isDone) }
    }
    let last = try #require(expected.last)
    let error = await #expect(throws: AnnalsError.self) {
      try await log.append([Self.event([])], unless: [.init(tags: ["hot"])], after: Position(last - 1))
    }
    #expect(error?.details.position?.rawValue == last)
    try await log.append(
      [Self.event(["hot"])], to: "x", unless: [.init(tags: ["hot"])], after: Position(last))
  }
}
