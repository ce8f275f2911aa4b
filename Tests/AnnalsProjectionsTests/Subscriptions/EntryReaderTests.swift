import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// The reader of pages against one read in a snapshot, with pages so small that everything straddles them.
@Suite struct EntryReaderTests {
  typealias Event = MarketV3.Event

  static func limits(_ generator: inout SeededGenerator) -> PageLimits {
    PageLimits(
      scanned: Int.random(in: 1...20, using: &generator), elements: Int.random(in: 1...20, using: &generator),
      bytes: Int.random(in: 1...2_000, using: &generator))
  }

  static func all(
    _ store: EventStore<MarketPlan>, _ prefix: String? = nil, backwards: Bool = false
  ) throws -> [Entry<Event>] {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(streamPrefix: prefix, backwards: backwards)
      var all: [Entry<Event>] = []
      while let entry = try entries.next() { all.append(entry) }
      return all
    }
  }

  @Test(
    "the pages of a bounded read together equal one snapshot, and end where the log ended",
    arguments: 1...6 as ClosedRange<UInt64>)
  func bounded(seed: UInt64) async throws {
    let place = try TemporaryStore()
    let store = try await SubscriptionTests.fill(place, seed)
    var generator = SeededGenerator(seed: seed)
    var market = MarketGenerator(seed: seed &+ 50)
    let events: EventQuery<Event> = [\.wordAdded, \.shipped]
    for round in 0..<30 {
      let limits = Self.limits(&generator)
      let (backwards, isSelecting) = (Bool.random(using: &generator), Bool.random(using: &generator))
      let prefix = ["stall/e", "none", nil].randomElement(using: &generator)!
      let wanted = try Self.all(store, prefix, backwards: backwards)
      let head = try #require(try store.read { snapshot in try snapshot.head() })
      var reader = EntryReader(store.log.core, .log(from: nil, prefix: prefix), backwards: backwards)
      var (given, last): ([Entry<Event>], Position?) = ([], nil)
      while true {
        let page: EntryPage<Entry<Event>> = try reader.events(
          limits, through: store.reach, selecting: isSelecting ? events.steps(in: store.reach.plan) : nil)
        #expect(page.end.failure == nil)
        given += page.elements
        last = page.end.last
        // Entries appended meanwhile are not read.
        if round < 3 { try await store.log.append([try market.next()], using: &market) }
        if page.end.isLast { break }
        #expect(last != nil, "seed \(seed), round \(round): an empty page that is not the last one")
      }
      #expect(last == (backwards ? 1 : head), "seed \(seed), round \(round)")
      if isSelecting { given.removeAll { !events.includes($0) } }
      #expect(
        given.map { Delivered($0) }
          == wanted.filter { !isSelecting || events.includes($0) }.map { Delivered($0) },
        "seed \(seed), round \(round), \(limits), prefix \(prefix ?? "none"), backwards \(backwards)")
    }
  }

  @Test(
    "a live read gives each entry once while others append, and its checkpoints are those of the log",
    arguments: 1...4 as ClosedRange<UInt64>)
  func live(seed: UInt64) async throws {
    let place = try TemporaryStore()
    let store = try await SubscriptionTests.fill(place, seed, 20)
    var generator = MarketGenerator(seed: seed &+ 50)
    var random = SeededGenerator(seed: seed)
    var reader = EntryReader(following: store.log.core)
    var given: [Entry<Event>] = []
    for _ in 0..<60 {
      let before = reader.checkpoint
      let page: EntryPage<Entry<Event>> = try reader.events(Self.limits(&random), through: store.reach)
      given += page.elements
      let checkpoint = try #require(reader.checkpoint)
      #expect(page.end.last.map { $0 == checkpoint.position } ?? (before == checkpoint))
      try store.log.read { (snapshot) throws(AnnalsError) in
        let stored = try snapshot.reader.checkpoint(at: checkpoint.position, log: store.log.id)
        #expect(checkpoint == stored)
        let isHead = try checkpoint.position == snapshot.head()
        #expect(page.end.isLast == isHead, "seed \(seed), position \(checkpoint.position)")
      }
      if Bool.random(using: &random) {
        try await store.log.append([try generator.next()], using: &generator)
      }
    }
    let position = try #require(reader.checkpoint).position
    let wanted = try Self.all(store).filter { $0.position <= position }
    #expect(given.map { Delivered($0) } == wanted.map { Delivered($0) }, "seed \(seed)")
    // Elsewhere it begins after the position that it is moved to.
    reader.move(to: 7)
    let page: EntryPage<Entry<Event>> = try reader.events(PageLimits(scanned: 5), through: store.reach)
    #expect(page.elements.allSatisfy { $0.position > 7 && $0.position <= 12 })
    #expect(reader.checkpoint?.position == 12)
  }

  @Test("an entry that cannot be read ends a page before it, and the read can continue after it")
  func unreadable() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let good = try Payload(["parcel": "p"])
    for payload in [good, try Payload(["parcel": 7]), good] {
      try await log.append(
        [NewEntry(type: "Shipped", version: SchemaVersion(1, 0, 0), payload: payload)], to: "order-1")
    }
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    var reader = EntryReader(following: log.core)
    let first: EntryPage<Entry<OrdersV3.Event>> = try reader.events(PageLimits(), through: store.reach)
    #expect(first.elements.map(\.position) == [1])
    #expect(first.end.last == 1)
    #expect(!first.end.isLast)
    let unreadable = try #require(first.end.unreadable)
    #expect(unreadable.position == 2)
    #expect(unreadable.stream == "order-1")
    #expect(unreadable.error.code == .malformed)
    #expect(unreadable.cases?.count == 1)
    reader.move(to: try #require(unreadable.checkpoint))
    let second: EntryPage<Entry<OrdersV3.Event>> = try reader.events(PageLimits(), through: store.reach)
    #expect(second.elements.map(\.position) == [3])
    #expect(second.end.isLast)
  }
}
