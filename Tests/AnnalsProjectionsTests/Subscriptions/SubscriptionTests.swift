import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Subscriptions against reads in a snapshot, with pages so small that everything straddles them.
@Suite struct SubscriptionTests {
  typealias Market = EventStore<MarketPlan>

  /// What a store's subscription gives until it has caught up `times` times.
  static func collect<Value>(
    _ subscription: Subscription<Value>, page: Int = 256, looks: Int = 16_384, times: Int = 1
  ) async throws -> [SubscriptionStep<Value>] {
    var subscription = subscription
    subscription.limits = PageLimits(scanned: looks, elements: page)
    var (steps, left): ([SubscriptionStep<Value>], Int) = ([], times)
    for try await step in subscription.steps {
      steps.append(step)
      if case .caughtUp = step {
        left -= 1
        if left == 0 { break }
      }
    }
    return steps
  }

  static func entries<Value>(_ steps: [SubscriptionStep<Value>]) -> [SubscribedEntry<Value>] {
    steps.compactMap { if case .entry(let element) = $0 { element } else { nil } }
  }

  static func fill(_ place: TemporaryStore, _ seed: UInt64, _ count: Int = 80) async throws -> Market {
    var generator = MarketGenerator(seed: seed)
    let events = try (0..<count).map { _ in try generator.next() }
    let log = try place.open()
    try await log.append(events, using: &generator)
    return try EventStore(at: place.url, plan: MarketPlan.self)
  }

  static func random(_ generator: inout SeededGenerator, _ selections: [EventQuery<MarketV3.Event>])
    -> EventQuery<MarketV3.Event>
  {
    selections[Int.random(in: 0..<selections.count, using: &generator)]
  }

  @Test(
    "it gives the same entries as a read of the selected types and streams, and its checkpoints never part an entry",
    arguments: 1...3 as ClosedRange<UInt64>, [1, 7, 256])
  func catchingUp(seed: UInt64, page: Int) async throws {
    let place = try TemporaryStore()
    let store = try await Self.fill(place, seed)
    let selections: [EventQuery<MarketV3.Event>] = [
      .all, [\.wordAdded], [\.shipped, \.refunded], [\.noted], [\.priced], [],
    ]
    let all = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var all: [Entry<MarketV3.Event>] = []
      while let entry = try entries.next() { all.append(entry) }
      return all
    }
    let head = try #require(try store.read { snapshot in try snapshot.head() })
    for events in selections {
      for prefix in [nil, "stall/e", "none"] as [String?] {
        let beginning = Array((prefix ?? "").utf8)
        let wanted = all.filter { entry in
          events.includes(entry) && Array(entry.stream.text.utf8).starts(with: beginning)
        }
        let steps = try await Self.collect(
          store.subscribe(from: .beginning, to: events, streamPrefix: prefix), page: page, looks: page * 3)
        let given = Self.entries(steps)
        #expect(given.map { Delivered($0.entry) } == wanted.map { Delivered($0) }, "seed \(seed)")
        #expect(steps.last?.checkpoint.position == head)
        // It moves on only.
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.checkpoint.position <= $1.checkpoint.position })
        if page < 8, events.cases?.isEmpty == true {
          #expect(steps.count { if case .passed = $0 { true } else { false } } > 0)
        }
        for (index, element) in given.enumerated() {
          let isLast = index + 1 == given.count || given[index + 1].entry.position != element.entry.position
          #expect(element.checkpoint.position < element.entry.position || isLast)
          #expect(element.checkpoint.position == element.entry.position || !isLast)
        }
      }
    }
  }

  @Test("from any checkpoint it goes on as if it had never stopped", arguments: 1...4 as ClosedRange<UInt64>)
  func goingOn(seed: UInt64) async throws {
    let place = try TemporaryStore()
    let store = try await Self.fill(place, seed, 40)
    let steps = try await Self.collect(store.subscribe(from: .beginning), page: 2)
    let given = Self.entries(steps)
    for step in steps {
      let data = try JSONEncoder().encode(step.checkpoint)
      let checkpoint = try JSONDecoder().decode(Checkpoint.self, from: data)
      let rest = given.filter { $0.entry.position > checkpoint.position }.map { Delivered($0.entry) }
      for start in [SubscriptionStart.checkpoint(checkpoint), .after(checkpoint.position)] {
        let found = Self.entries(try await Self.collect(store.subscribe(from: start), page: 3))
        #expect(found.map { Delivered($0.entry) } == rest, "seed \(seed)")
      }
    }
  }

  @Test(
    "nothing is left out or given twice while others append, nor across a migration pass",
    arguments: 1...2 as ClosedRange<UInt64>, [false, true])
  func live(seed: UInt64, migrating: Bool) async throws {
    let place = try TemporaryStore()
    let store = try await Self.fill(place, seed, 30)
    var subscription = store.subscribe(from: .beginning, to: [\.wordAdded, \.noted, \.shipped])
    subscription.limits = PageLimits(scanned: 9, elements: 3)
    let total = 430 as UInt64
    let reader = Task { [subscription] in
      var given: [Delivered] = []
      for try await step in subscription.steps {
        if case .entry(let element) = step { given.append(Delivered(element.entry)) }
        if step.checkpoint.position.rawValue == total, case .caughtUp = step { break }
      }
      return given
    }
    var generator = MarketGenerator(seed: seed &+ 100)
    for round in 0..<40 {
      let events = try (0..<10).map { _ in try generator.next() }
      try await store.log.append(events, using: &generator)
      if migrating, round == 20 {
        let report = try await store.migrate().report()
        #expect(report.isDone)
      }
    }
    let wanted = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var all: [Delivered] = []
      while let entry = try entries.next() {
        switch entry.event {
        case .wordAdded, .noted, .shipped: all.append(Delivered(entry))
        default: break
        }
      }
      return all
    }
    #expect(try await reader.value == wanted)
    if migrating { #expect(try store.log.info().generation == 2) }
  }

  @Test("the log without a plan can be followed as it is stored")
  func raw() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.placed(1), .placed(2)], to: "a")
    try await log.append([.placed(3)], to: "b")
    let steps = try await Self.collect(log.subscribe(from: .beginning, streamPrefix: "a"))
    #expect(Self.entries(steps).map(\.entry.position) == [1, 2])
    #expect(steps.last?.checkpoint.position == 3)
  }

  @Test("the end is that of the moment it is asked for, and each iterator begins there")
  func end() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    let subscription = log.subscribe(from: .end)
    let later = log.subscribe(from: .after(3))
    try await log.append([.placed(2), .placed(3), .placed(4)], to: "a")
    for _ in 0..<2 {
      #expect(Self.entries(try await Self.collect(subscription)).map(\.entry.position) == [2, 3, 4])
    }
    #expect(Self.entries(try await Self.collect(later)).map(\.entry.position) == [4])
    // A position that comes later is waited for.
    var far = log.subscribe(from: .after(6)).makeAsyncIterator()
    async let first = far.next()
    try await log.append([.placed(5), .placed(6), .placed(7), .placed(8)], to: "a")
    #expect(try await first?.entry.position == 7)
  }

  @Test("a cancelled task ends it, be it waiting or not")
  func cancellation() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    let subscription = log.subscribe(from: .beginning)
    let (given, giving) = AsyncStream<Int>.makeStream()
    let reader = Task {
      var count = 0
      for try await _ in subscription {
        count += 1
        giving.yield(count)
      }
      return count
    }
    for await _ in given { break }
    reader.cancel()
    #expect(try await reader.value == 1)
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      var iterator = subscription.makeAsyncIterator()
      return try await iterator.next() == nil
    }
    late.cancel()
    #expect(try await late.value)
  }

  @Test(
    "entries before one that cannot be read are given first, and none after it",
    arguments: [1, 2, 256])
  func poison(page: Int) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let good = try Payload(["parcel": "p"])
    for payload in [good, good, try Payload(["parcel": 7]), good] {
      try await log.append(
        [NewEntry(type: "Shipped", version: SchemaVersion(1, 0, 0), payload: payload)], to: "order-1")
    }
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    var subscription = store.subscribe(from: .beginning, to: [\.shipped])
    subscription.limits.elements = page
    var iterator = subscription.makeAsyncIterator()
    var read: [Position] = []
    let error = await #expect(throws: AnnalsError.self) {
      while let element = try await iterator.next() { read.append(element.entry.position) }
    }
    #expect(read == [1, 2])
    #expect(error?.code == .malformed)
    #expect(error?.details.position == 3)
    let next = try await iterator.next()
    #expect(next == nil)
    // A filter that hides it does not meet it.
    let steps = try await Self.collect(store.subscribe(from: .beginning, to: [\.priced]))
    #expect(steps.map(\.checkpoint.position) == [4])
  }

  @Test(
    "a checkpoint of another log, of one that has lost its end, and of one that went on from there is refused"
  )
  func mismatches() async throws {
    let place = try TemporaryStore()
    let url = place.directory.appendingPathComponent("copy.annals")
    var checkpoint: Checkpoint
    do {
      let log = try place.open()
      try await log.append([.placed(1), .placed(2)], to: "a")
      try log.backup(to: url)
      try await log.append([.placed(3), .placed(4)], to: "a")
      checkpoint = try await Self.collect(log.subscribe(from: .beginning)).last!.checkpoint
      #expect(checkpoint.position == 4)
    }
    func mismatch(_ log: EventLog, _ start: SubscriptionStart) async throws -> CheckpointMismatch? {
      let error = await #expect(throws: AnnalsError.self) {
        try await Self.collect(log.subscribe(from: start))
      }
      #expect(error?.code == .checkpointMismatch)
      return error?.underlying as? CheckpointMismatch
    }
    let copy = try EventLog(at: url)
    #expect(try await mismatch(copy, .checkpoint(checkpoint)) == .ahead(of: 2))
    try copy.keep(checkpoint, of: "mailer")
    #expect(try await mismatch(copy, .stored("mailer")) == .ahead(of: 2))
    try await copy.append([.placed(5), .placed(6), .placed(7)], to: "b")
    #expect(try await mismatch(copy, .checkpoint(checkpoint)) == .differs)
    let other = try EventLog(at: place.directory.appendingPathComponent("other.annals"))
    #expect(try await mismatch(other, .checkpoint(checkpoint)) == .otherLog)
  }
}
