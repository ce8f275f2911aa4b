import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

@Suite struct EventDigestTests {
  /// What a whole store delivers through a plan.
  private func digest<Plan: SchemaMigrationPlan>(
    _ url: URL, _ plan: Plan.Type, threads: Int = 1, isQuarantining: Bool = false
  ) throws -> EventDigest {
    let store = try EventStore(at: url, plan: plan)
    let last = try store.read { snapshot throws(AnnalsError) in try snapshot.head()?.rawValue ?? 1 }
    let source = RewriteSource(store.log.core.generation.environment, log: store.log.id)
    return try Digesting(source: source, reach: store.reach, isQuarantining: isQuarantining)
      .digest(of: 1...last, threads: threads)
  }

  private func market(_ seed: UInt64, count: Int = 150) async throws -> TemporaryStore {
    var generator = MarketGenerator(seed: seed)
    let place = try TemporaryStore()
    try await EventLog(at: place.url).append((0..<count).map { _ in try generator.next() }, using: &generator)
    return place
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a log and its rewrite have one digest`(seed: UInt64) async throws {
    let place = try await market(seed)
    let wanted = try digest(place.url, MarketPlan.self)
    let rewritten = try RewrittenStore(place.url, MarketPlan.self)
    #expect(try digest(rewritten.url, MarketPlan.self) == wanted)
    #expect(rewritten.delivered == wanted)
    #expect(try digest(place.url, MarketPlan.self, threads: 3) == wanted)
    #expect(wanted.total.entries == 150)
    let events = try EventStore(at: place.url, plan: MarketPlan.self).delivered().count
    #expect(wanted.total.events == UInt64(events))
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `ranges add up, in any order`(seed: UInt64) async throws {
    let place = try await market(seed)
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    let source = RewriteSource(store.log.core.generation.environment, log: store.log.id)
    let digesting = Digesting(source: source, reach: store.reach, isQuarantining: false)
    var sum = EventDigest()
    for range in [101...150, 1...7, 8...100] as [ClosedRange<UInt64>] {
      sum.add(try digesting.digest(of: range, threads: 1))
    }
    #expect(try sum == digest(place.url, MarketPlan.self))
  }

  @Test func `another value, order or stream is another digest`() async throws {
    var digests: [EventDigest] = []
    let one = LedgerV1.Event.moved(.init(amount: 1))
    let two = LedgerV1.Event.moved(.init(amount: 2))
    let time = Date(timeIntervalSince1970: 1)
    for (events, stream) in [([one, two], "a"), ([two, one], "a"), ([one, one], "a"), ([one, two], "b")] {
      let place = try TemporaryStore()
      // Streams differ by their beginnings.
      let store = try EventStore(at: place.url, plan: FirstLedger.self)
      try await store.append([NewEvent(one, time: time)], to: "a")
      try await store.append(events.map { NewEvent($0, time: time) }, to: StreamName(stream))
      digests.append(try digest(place.url, MendedLedger.self))
    }
    for (left, right) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
      #expect(digests[left] != digests[right])
      #expect(digests[left].difference(from: digests[right]) == 0...65_535)
    }
  }

  @Test func `quarantined entries count the same before and after`() async throws {
    let place = try TemporaryStore()
    try await place.write([.moved(.init(amount: 1)), .moved(.init(amount: -2))], as: LedgerV1.self)
    var way = RewrittenStore.Way()
    way.isQuarantining = true
    let rewritten = try RewrittenStore(place.url, StrictLedger.self, way)
    let wanted = try digest(place.url, StrictLedger.self, isQuarantining: true)
    #expect(try digest(rewritten.url, StrictLedger.self, isQuarantining: true) == wanted)
    #expect(rewritten.delivered == wanted)
    #expect(wanted.total.events == 1)
    #expect(throws: AnnalsError.self) { try digest(place.url, StrictLedger.self) }
  }

  @Test func `a difference names the block of positions`() {
    var left = EventDigest()
    var right = EventDigest()
    let sum = EventDigest.Sum(entries: 1, events: 1, low: 2, high: 3)
    for position in [1, 70_000, 140_000] as [Position] { left.add(sum, at: position) }
    right.add(left)
    #expect(left.difference(from: right) == nil)
    right.add(sum, at: 131_071)
    #expect(left.difference(from: right) == 65_536...131_071)
  }
}
