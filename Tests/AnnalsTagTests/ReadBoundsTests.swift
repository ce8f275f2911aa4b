import Annals
import Testing

/// Reads at and beyond every bound, compared with a model in memory.
@Suite struct ReadBoundsTests {
  private static let types = ["Enrolled", "Left", "Noted"]

  /// A log of 12 events, and the model of it.
  private static func filled() async throws -> (TemporaryStore, EventLog, TagModel) {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    var model = TagModel()
    for number in 0..<12 {
      var tags: Set<EventTag> = []
      if number % 2 == 0 { tags.insert("even") }
      if number % 3 == 0 { tags.insert("third") }
      if number == 7 { tags.insert("once") }
      let type = types[number % types.count]
      let stream: StreamName = number < 5 ? "a" : "b"
      try await log.append(
        [NewEntry(type: type, version: nil, payload: Payload(stored: [0xa0]), tags: Array(tags))], to: stream)
      model.events.append(
        TagModel.Event(position: UInt64(number) + 1, stream: stream, type: type, tags: tags))
    }
    return (place, log, model)
  }

  private static let queries: [LogQuery] = [
    [], .all, [.init(types: ["Left"])], [.init(tags: ["even"])], [.init(tags: ["even", "third"])],
    [.init(types: ["Enrolled", "Noted"], tags: ["third"])], [.init(tags: ["once"]), .init(tags: ["third"])],
    [.init(tags: ["even"]), .init(tags: ["even"])], [.init(types: ["Nothing"])], [.init(tags: ["nobody"])],
    [.init(tags: ["even"]), .init(types: ["Left"])], [.init(types: ["Nothing"]), .init(tags: ["once"])],
  ]
  private static let places: [UInt64?] = [nil, 0, 1, 2, 6, 11, 12, 13, 1_000, .max]

  @Test func `reads of a log begin and end where a model says, in both directions and with every limit`()
    async throws
  {
    let (place, log, model) = try await Self.filled()
    defer { withExtendedLifetime(place) {} }
    try log.read { (snapshot) throws in
      for query in Self.queries {
        for after in Self.places {
          for start in [nil, 0, 1, 6, 12, 13, .max] as [UInt64?] {
            for end in Self.places {
              for backwards in [false, true] {
                for limit in [0, -1, 2, Int.max] {
                  var found: [UInt64] = []
                  var entries = try snapshot.entries(
                    matching: query, after: after.map { Position($0) }, from: start.map { Position($0) },
                    through: end.map { Position($0) }, backwards: backwards, limit: limit)
                  while let entry = try entries.next() { found.append(entry.position.rawValue) }
                  let expected = model.positions(
                    matching: query, after: after, from: start, through: end, backwards: backwards,
                    limit: max(limit, 0))
                  guard found != expected else { continue }
                  Issue.record(
                    "\(query), after \(String(describing: after)), from \(String(describing: start)), through \(String(describing: end)), backwards \(backwards), limit \(limit): \(found), not \(expected)"
                  )
                }
              }
            }
          }
        }
      }
    }
  }

  @Test func `reads of a stream begin and end where a model says, in both directions and with every limit`()
    async throws
  {
    let (place, log, model) = try await Self.filled()
    defer { withExtendedLifetime(place) {} }
    // Revision r of stream b is at position r + 6.
    let stream = model.events.filter { $0.stream == "b" }
    try log.read { (snapshot) throws in
      for query in [nil, .all, [.init(tags: ["even"])], [.init(types: ["Left"])], []] as [LogQuery?] {
        for after in Self.places {
          for start in Self.places {
            for end in [nil, 0, 3, 6, 7, .max] as [UInt64?] {
              for backwards in [false, true] {
                for limit in [0, -1, 2, Int.max] {
                  var found: [UInt64] = []
                  var entries = try snapshot.entries(
                    in: "b", matching: query, after: after.map { Revision($0) },
                    from: start.map { Revision($0) }, through: end.map { Revision($0) },
                    backwards: backwards, limit: limit)
                  while let entry = try entries.next() { found.append(entry.position.rawValue) }
                  let expected = Self.positions(
                    of: stream, matching: query ?? .all, after: after, from: start, through: end,
                    backwards: backwards, limit: max(limit, 0))
                  guard found != expected else { continue }
                  Issue.record(
                    "\(String(describing: query)), after \(String(describing: after)), from \(String(describing: start)), through \(String(describing: end)), backwards \(backwards), limit \(limit): \(found), not \(expected)"
                  )
                }
              }
            }
          }
        }
      }
      var none = try snapshot.entries(in: "nobody", matching: .all, backwards: true)
      let entry = try none.next()
      #expect(entry == nil)
    }
  }

  private static func positions(
    of events: [TagModel.Event], matching query: LogQuery, after: UInt64?, from start: UInt64?,
    through end: UInt64?, backwards: Bool, limit: Int
  ) -> [UInt64] {
    let found = events.enumerated().filter { index, event in
      let revision = UInt64(index)
      guard TagModel.matches(event, query) else { return false }
      if backwards {
        return after.map { revision < $0 } ?? true && start.map { revision <= $0 } ?? true
          && end.map { revision >= $0 } ?? true
      }
      return after.map { revision > $0 } ?? true && start.map { revision >= $0 } ?? true
        && end.map { revision <= $0 } ?? true
    }.map(\.element.position)
    return Array((backwards ? found.reversed() : found).prefix(limit))
  }

  @Test func `sequences read as snapshots do`() async throws {
    let (place, log, model) = try await Self.filled()
    defer { withExtendedLifetime(place) {} }
    for query in Self.queries {
      for (after, end) in [(nil, nil), (0, 6), (12, nil), (13, 1), (.max, nil), (6, .max)]
        as [(UInt64?, UInt64?)]
      {
        for backwards in [false, true] {
          for limit in [0, -1, 3, Int.max] {
            var found: [UInt64] = []
            let entries = log.entries(
              matching: query, after: after.map { Position($0) }, through: end.map { Position($0) },
              backwards: backwards, limit: limit)
            for try await entry in entries { found.append(entry.position.rawValue) }
            let expected = model.positions(
              matching: query, after: after, through: end, backwards: backwards, limit: max(limit, 0))
            #expect(
              found == expected,
              "\(query), after \(String(describing: after)), through \(String(describing: end)), backwards \(backwards), limit \(limit)"
            )
          }
        }
      }
    }
  }

  @Test func `a condition compares what is after its position, at every position`() async throws {
    let (place, log, model) = try await Self.filled()
    defer { withExtendedLifetime(place) {} }
    for query in Self.queries {
      for after in Self.places {
        let expected = model.firstMatch(of: query, after: after)
        // A call without events is decided like any other, and stores nothing.
        do {
          let done = try await log.append(unless: query, after: after.map { Position($0) }) { call in
            call.check("a", .exists)
          }
          #expect(done.positions == [])
          #expect(expected == nil, "\(query) after \(String(describing: after))")
        } catch {
          #expect(error.code == .conflict && error.details.position?.rawValue == expected, "\(query)")
          #expect(error.details.violations == [])
        }
      }
    }
    #expect(try log.read { snapshot throws(AnnalsError) in try snapshot.head() } == 12)
  }

  @Test func `a query and a prefix of streams together select what both do`() async throws {
    let (place, log, model) = try await Self.filled()
    defer { withExtendedLifetime(place) {} }
    try log.read { (snapshot) throws in
      for query in Self.queries {
        for prefix in ["", "a", "b", "c"] {
          for backwards in [false, true] {
            var found: [UInt64] = []
            var entries = try snapshot.entries(
              matching: query, streamPrefix: prefix, backwards: backwards, limit: 3)
            while let entry = try entries.next() { found.append(entry.position.rawValue) }
            var part = model
            part.events.removeAll { !$0.stream.text.hasPrefix(prefix) && !prefix.isEmpty }
            #expect(
              found == part.positions(matching: query, backwards: backwards, limit: 3),
              "\(query), streams '\(prefix)', backwards \(backwards)")
          }
        }
      }
    }
  }

  @Test func `a truncated event refuses a condition, as reads give it, until a pass has removed it`()
    async throws
  {
    let (place, log, _) = try await Self.filled()
    defer { withExtendedLifetime(place) {} }
    try await log.truncate("b", before: 3)
    let query: LogQuery = [.init(tags: ["once"])]
    let error = await #expect(throws: AnnalsError.self) {
      try await log.append(unless: query) { $0.check("a", .exists) }
    }
    #expect(error?.details.position == 8)
    _ = try await log.compact().report()
    try await log.append(unless: query) { $0.check("a", .exists) }
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a tag that an event names often counts once towards the limit`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    let tags = (0..<64).map { EventTag("n", $0) }
    func append(_ tags: [EventTag]) async throws -> Appended {
      try await log.append(
        [NewEntry(type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: tags)], to: "events")
    }
    #expect(try await append(tags + tags + tags).position == 1)
    let error = await #expect(throws: AnnalsError.self) { try await append(tags + ["one more"]) }
    #expect(error?.code == .tooLarge)
    #expect(try log.read { snapshot throws(AnnalsError) in try snapshot.entry(at: 1)?.tags } == tags.sorted())
  }

  @Test func `any text is a tag of its own`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    let tags: [EventTag] = [
      ":", "=", "a=b", "a:b", "a:b:c", "a", "A", " ", " a", "a ", "\n", "\t", "\u{1}", "*", "%", "\"", "\\",
      "{}", "null", "é", "e\u{301}", "日本", "🚲", "👨‍👩‍👧", "\u{202e}x", "\u{feff}", "a\u{0301}", "ﬁ", "fi",
      EventTag(String(repeating: "x", count: 500)), EventTag(String(repeating: "x", count: 499)),
      EventTag(String(repeating: "🚲", count: 125)),
    ]
    for tag in tags {
      try await log.append(
        [NewEntry(type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: [tag, tag])],
        to: "events")
    }
    for generation in 1...2 {
      try log.read { (snapshot) throws in
        for (index, tag) in tags.enumerated() {
          var entries = try snapshot.entries(matching: [.init(tags: [tag])])
          let found = try entries.next()
          #expect(found?.position.rawValue == UInt64(index) + 1, "\(tag) in generation \(generation)")
          #expect(found?.tags == [tag])
          let next = try entries.next()
          #expect(next == nil, "\(tag) in generation \(generation)")
        }
      }
      #expect(try EventLog.verify(place.url).isClean)
      if generation == 1 { _ = try await log.compact().report() }
    }
  }
}
