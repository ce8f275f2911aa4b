import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// The laws of a migration pass for single entries, on random logs that mix all versions of a market.
@Suite struct RewriteLawTests {
  /// A store of 150 random events, and those events.
  private func market(_ seed: UInt64) async throws -> (place: TemporaryStore, events: [MarketGenerator.Made])
  {
    var generator = MarketGenerator(seed: seed)
    let place = try TemporaryStore()
    let events = try (0..<150).map { _ in try generator.next() }
    try await EventLog(at: place.url).append(events, using: &generator)
    return (place, events)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a rewritten log reads as the original, and is clean`(seed: UInt64) async throws {
    let (place, _) = try await market(seed)
    let wanted = try EventStore(at: place.url, plan: MarketPlan.self).delivered()
    let rewritten = try RewrittenStore(place.url, MarketPlan.self)
    #expect(try EventStore(at: rewritten.url, plan: MarketPlan.self).delivered() == wanted)
    #expect(!wanted.isEmpty)
    #expect(try EventLog.verify(rewritten.url).findings == [])
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `only kinds of the current version have events afterwards`(seed: UInt64) async throws {
    let (place, _) = try await market(seed)
    let rewritten = try RewrittenStore(place.url, MarketPlan.self)
    let census = try EventLog(at: rewritten.url).read { snapshot throws(AnnalsError) in try snapshot.census()
    }
    #expect(census.contains { $0.count > 0 })
    #expect(census.allSatisfy { $0.count == 0 || $0.version == SchemaVersion(3, 0, 0) })
    #expect(census.allSatisfy { $0.quarantined == 0 })
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a second rewrite changes no byte`(seed: UInt64) async throws {
    let (place, _) = try await market(seed)
    let once = try RewrittenStore(place.url, MarketPlan.self)
    let twice = try RewrittenStore(once.url, MarketPlan.self)
    #expect(try twice.rows() == once.rows())
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `to the second version and then to the third is as good as to the third at once`(seed: UInt64)
    async throws
  {
    var generator = MarketGenerator(seed: seed)
    let place = try TemporaryStore()
    let events = try (0..<150).map { _ in try generator.next() }.filter {
      $0.entry.version != SchemaVersion(3, 0, 0)
    }
    try await EventLog(at: place.url).append(events, using: &generator)
    let second = try RewrittenStore(place.url, SecondMarketPlan.self)
    let both = try RewrittenStore(second.url, MarketPlan.self)
    let atOnce = try RewrittenStore(place.url, MarketPlan.self)
    let wanted = try EventStore(at: atOnce.url, plan: MarketPlan.self).delivered()
    #expect(try EventStore(at: both.url, plan: MarketPlan.self).delivered() == wanted)
    #expect(try EventStore(at: second.url, plan: MarketPlan.self).delivered() == wanted)
    #expect(try EventLog.verify(both.url).findings == [])
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a log of which any first part is rewritten reads the same`(seed: UInt64) async throws {
    let (place, events) = try await market(seed)
    var generator = MarketGenerator(seed: seed)
    var way = RewrittenStore.Way()
    way.end = UInt64(generator.number(in: 0..<events.count + 1))
    let wanted = try EventStore(at: place.url, plan: MarketPlan.self).delivered()
    let mixed = try RewrittenStore(place.url, MarketPlan.self, way)
    #expect(try EventStore(at: mixed.url, plan: MarketPlan.self).delivered() == wanted)
    #expect(try EventLog.verify(mixed.url).findings == [])
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `parts that no rule may change stay equal, byte by byte`(seed: UInt64) async throws {
    let (place, events) = try await market(seed)
    let rewritten = try RewrittenStore(place.url, MarketPlan.self)
    let old = try RewrittenStore.entries(of: EventLog(at: place.url))
    let new = try rewritten.entries()
    #expect(new.count == events.count)
    for (index, (old, new)) in zip(old, new).enumerated() {
      let position = Position(UInt64(index + 1))
      let before = try EntryHeader(old.span, at: position)
      let after = try EntryHeader(new.span, at: position)
      // Time, name or stream, revision, links, id and metadata; kinds below 128 take one byte.
      #expect(old[8..<before.extensions] == new[8..<after.extensions])
      #expect(before.flags.contains(.endOfCall) == after.flags.contains(.endOfCall))
      #expect(before.flags.contains(.first) == after.flags.contains(.first))
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a drop leaves a stub, a split parts, and everything else one payload`(seed: UInt64) async throws {
    let (place, events) = try await market(seed)
    let rewritten = try RewrittenStore(place.url, MarketPlan.self)
    for (index, (event, bytes)) in zip(events, try rewritten.entries()).enumerated() {
      let header = try EntryHeader(bytes.span, at: Position(UInt64(index + 1)))
      switch try EntryBody(bytes.span, header: header) {
      case .payload: #expect(event.paths == [[]])
      case .parts(let parts): #expect(parts.map(\.path) == event.paths)
      case .stub(let stub):
        #expect(event.paths.isEmpty)
        #expect(stub.reason == (event.entry.type == "Pinged" ? "noise" : "the split gave no events"))
        #expect(stub.from == event.entry.version)
      }
    }
  }

  // Promise P149.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `how many threads there are, and how long runs are, changes no byte`(seed: UInt64) async throws {
    let (place, _) = try await market(seed)
    let wanted = try RewrittenStore(place.url, MarketPlan.self).rows()
    for (threads, entries, bytes) in [(1, 7, 1 << 20), (2, 16, 1 << 20), (3, 5, 200), (4, 1, 1)] {
      var way = RewrittenStore.Way()
      way.threads = threads
      way.runEntries = entries
      way.runBytes = bytes
      #expect(try RewrittenStore(place.url, MarketPlan.self, way).rows() == wanted)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a copy without a plan changes no byte`(seed: UInt64) async throws {
    let (place, _) = try await market(seed)
    let rewritten = try RewrittenStore(place.url, MarketPlan.self)
    for url in [place.url, rewritten.url] {
      let log = try EventLog(at: url)
      let copy = try RewrittenStore(copying: url)
      #expect(try copy.rows() == RewrittenStore.rows(of: log))
      #expect(try EventLog.verify(copy.url).findings == [])
    }
  }

  @Test func `declared records are kept, converted and split as by a read`() async throws {
    let place = try TemporaryStore()
    try await place.seedWorkouts()
    let rewritten = try RewrittenStore(place.url, WorkoutPlan.self)
    let wanted: [WorkoutsV2.Event] = [
      .setLogged(.init(title: "Squat", kilograms: 82.5, reps: 5)),
      .setLogged(.init(title: "Squat", kilograms: 82.5, reps: 5)),
      .bodyWeighed(.init(kilograms: 80, note: nil)), .heartbeat(.init(n: 7)), .gymNamed(.init(name: "Mill")),
    ]
    #expect(try EventStore(at: rewritten.url, plan: WorkoutPlan.self).events() == wanted)
    #expect(try EventLog.verify(rewritten.url).findings == [])
    let between = try RewrittenStore(place.url, WorkoutsSecond.self)
    let both = try RewrittenStore(between.url, WorkoutPlan.self)
    #expect(try EventStore(at: both.url, plan: WorkoutPlan.self).events() == wanted)
  }
}
