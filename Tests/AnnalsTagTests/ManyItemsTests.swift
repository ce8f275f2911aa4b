import Annals
import Synchronization
import Testing

/// Queries with so many alternatives that these are not compared one after the other.
@Suite struct ManyItemsTests {
  private static let payload = Payload(stored: [0xa1, 0x61, 0x6e, 0x07])

  /// A query of some twenty alternatives at least, of which few have no tags.
  private static func query(_ random: inout SeededGenerator) -> LogQuery {
    var query: LogQuery = []
    let hasUntagged = Int.random(in: 0..<4, using: &random) == 0
    while query.items.count < 20 {
      for var item in TagSamples.query(using: &random).items {
        if item.tags.isEmpty, !hasUntagged { item.tags.insert("nobody:\(query.items.count)") }
        if item.types.isEmpty, item.tags.isEmpty { continue }
        query.items.append(item)
      }
      // Many share a tag that every event has.
      for number in 0..<6 { query.items.append(.init(tags: ["all", EventTag("student", "s\(number % 2)")])) }
      query.items.append(.init(types: ["Left"], tags: ["all", "rare"]))
    }
    return query
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_TAG_SEEDS", usual: 4)))
  func `queries of many alternatives and their conditions give what a model says`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    defer { withExtendedLifetime(place) {} }
    let log = try EventLog(at: place.url)
    var model = TagModel()
    for _ in 0..<150 {
      var tags = TagSamples.tags(using: &random)
      if Int.random(in: 0..<4, using: &random) > 0 { tags.insert("all") }
      let type = TagSamples.types.randomElement(using: &random) ?? ""
      let added = try await log.append(
        [NewEntry(type: type, version: nil, payload: Self.payload, tags: Array(tags))], to: "events")
      model.events.append(
        TagModel.Event(position: added.positions[0].rawValue, stream: "events", type: type, tags: tags))
    }
    for _ in 0..<20 {
      let query = Self.query(&random)
      let after = UInt64.random(in: 0...150, using: &random)
      for backwards in [false, true] {
        let found = try log.read { snapshot in
          var found: [UInt64] = []
          var entries = try snapshot.entries(matching: query, after: Position(after), backwards: backwards)
          while let entry = try entries.next() { found.append(entry.position.rawValue) }
          return found
        }
        #expect(found == model.positions(matching: query, after: after, backwards: backwards), "seed \(seed)")
      }
      let match = model.firstMatch(of: query, after: after)
      do {
        try await log.append([], to: "events", unless: query, after: Position(after))
        #expect(match == nil, "seed \(seed)")
      } catch {
        #expect(error.code == .conflict && error.details.position?.rawValue == match, "seed \(seed)")
      }
    }
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_TAG_SEEDS", usual: 2)))
  func `the same holds for queries over events of a plan`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    defer { withExtendedLifetime(place) {} }
    let store = try EventStore(at: place.url, plan: TagCoursesFirst.self)
    var stored: [(course: Int, student: Int, hasLeft: Bool)] = []
    for _ in 0..<120 {
      let new = (
        course: Int.random(in: 0..<30, using: &random), student: Int.random(in: 0..<30, using: &random),
        hasLeft: Bool.random(using: &random)
      )
      stored.append(new)
      try await store.append(
        [
          new.hasLeft
            ? .left(.init(course: "c\(new.course)", student: new.student))
            : .enrolled(.init(course: "c\(new.course)", student: new.student))
        ], to: "events")
    }
    for _ in 0..<10 {
      let courses = Set((0..<20).map { _ in Int.random(in: 0..<40, using: &random) })
      let students = Set((0..<5).map { _ in Int.random(in: 0..<40, using: &random) })
      let query = EventQuery<TagCoursesV1.Event>.any(
        of: courses.map { EventQuery([\.enrolled], tags: [EventTag("course", "c\($0)")]) }
          + students.map { EventQuery(tags: [EventTag("student", $0)]) })
      let expected = stored.indices.filter { index in
        let event = stored[index]
        return !event.hasLeft && courses.contains(event.course) || students.contains(event.student)
      }.map { UInt64($0) + 1 }
      let found = try store.read { snapshot in
        var found: [UInt64] = []
        try snapshot.entries(matching: query).forEach { found.append($0.position.rawValue) }
        return found
      }
      #expect(found == expected, "seed \(seed)")
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append([TagCoursesV1.Event](), to: "a", unless: query)
      }
      #expect(error?.details.position?.rawValue == expected.first, "seed \(seed)")
    }
  }

  /// Counts the pages that reads take.
  private final class Pages: StoreObserver {
    let count = Mutex(0)

    func read(_ activity: ReadActivity) { count.withLock { $0 += 1 } }

    /// The number since the last call.
    func take() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  @Test func `a query of many tags is read in few pages, because each looks all of them up`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    defer { withExtendedLifetime(place) {} }
    let pages = Pages()
    var options = StoreOptions()
    options.observer = pages
    let log = try EventLog(at: place.url, options: options)
    let events = (0..<2_000).map { number in
      NewEntry(type: "Left", version: nil, payload: Self.payload, tags: [EventTag("student", number % 500)])
    }
    try await log.append(events, to: "events")
    let query = LogQuery((0..<500).map { .init(tags: [EventTag("student", $0)]) })
    for backwards in [false, true] {
      var found: [UInt64] = []
      for try await entry in log.entries(matching: query, backwards: backwards) {
        found.append(entry.position.rawValue)
      }
      #expect(found == (backwards ? (1...2_000).reversed() : Array(1...2_000)))
      #expect(pages.take() <= 2)
    }
    var delivered = 0
    for try await step in log.subscribe(from: .beginning, matching: query).steps {
      if case .entry = step { delivered += 1 }
      if case .caughtUp = step { break }
    }
    #expect(delivered == 2_000)
    #expect(pages.take() <= 2)
    // A limit still ends the read.
    var limited = 0
    for try await _ in log.entries(matching: query, limit: 3) { limited += 1 }
    #expect(limited == 3)
  }
}
