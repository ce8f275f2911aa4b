import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore

/// The laws of reading, on random logs that mix all versions of a market.
@Suite struct ReadLawTests {
  /// A store of 150 random events, and those events.
  private func market(_ seed: UInt64) async throws -> (place: TemporaryStore, events: [MarketGenerator.Made])
  {
    var generator = MarketGenerator(seed: seed)
    let place = try TemporaryStore()
    let events = try (0..<150).map { _ in try generator.next() }
    try await EventLog(at: place.url).append(events, using: &generator)
    return (place, events)
  }

  // Promise P90.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `no chain changes positions, revisions, order or streams, and parts differ in their paths`(
    seed: UInt64
  )
    async throws
  {
    let (place, events) = try await market(seed)
    var wanted: [String] = []
    var revisions: [StreamName: Int] = [:]
    for (index, event) in events.enumerated() {
      let revision = revisions[event.stream, default: -1] + 1
      revisions[event.stream] = revision
      wanted += event.paths.map { "\(index + 1) \($0) \(event.stream) \(revision)" }
    }
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    try store.read { (snapshot) throws in
      var read: [String] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        read.append("\(entry.position) \(entry.path) \(entry.stream) \(entry.revision)")
      }
      #expect(read == wanted)
      #expect(try snapshot.head()?.rawValue == 150)
      for (stream, revision) in revisions {
        #expect(try snapshot.revision(of: stream)?.rawValue == UInt64(revision))
      }
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a stream reads as the log does, without the others`(seed: UInt64) async throws {
    let (place, events) = try await market(seed)
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    var all: Set<Delivered> = []
    var count = 0
    for stream in Set(events.map(\.stream)) {
      let read = try store.delivered(in: stream)
      let positions = events.indices.filter { events[$0].stream == stream }
      #expect(read.count == positions.reduce(0) { $0 + events[$1].paths.count })
      all.formUnion(read)
      count += read.count
    }
    #expect(try Set(store.delivered()) == all)
    #expect(count == all.count)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `any part of a log reads as it does in the whole, in either direction`(seed: UInt64) async throws {
    let (place, events) = try await market(seed)
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    let all = try store.delivered()
    #expect(try store.delivered(backwards: true) == all.reversed())
    var generator = MarketGenerator(seed: seed)
    for _ in 0..<10 {
      let start = generator.number(in: 1..<events.count + 1)
      let limit = generator.number(in: 0..<20)
      let hidden = events[..<(start - 1)].reduce(0) { $0 + $1.paths.count }
      let read = try store.delivered(from: Position(UInt64(start)), limit: limit)
      #expect(read == all.dropFirst(hidden).read(upTo: limit) { $0.position })
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `an event reads the same again, in another order and in parallel`(seed: UInt64) async throws {
    let (place, events) = try await market(seed)
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    let all = try store.delivered()
    #expect(try store.delivered() == all)
    #expect(try EventStore(at: place.url, plan: MarketPlan.self).delivered() == all)

    var generator = MarketGenerator(seed: seed)
    var byPosition: [Int: [Delivered]] = [:]
    for index in generator.shuffled(Array(events.indices)) where !events[index].paths.isEmpty {
      byPosition[index] = try store.delivered(
        from: Position(UInt64(index + 1)), limit: events[index].paths.count)
    }
    let inOrder: [Delivered] = events.indices.flatMap { byPosition[$0, default: []] }
    #expect(inOrder == all)

    try await withThrowingTaskGroup(of: [Delivered].self) { group in
      for _ in 0..<4 { group.addTask { try store.delivered() } }
      for try await read in group { #expect(read == all) }
    }
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `an event reads the same in another process, time zone and language`(seed: UInt64) async throws {
    let (place, _) = try await market(seed)
    let all = try EventStore(at: place.url, plan: MarketPlan.self).delivered().map(\.description)
    let wanted = place.directory.appending(path: "wanted")
    try Data(all.joined(separator: "\n").utf8).write(to: wanted)
    await #expect(processExitsWith: .success) {
      [store = place.url.path as String, wanted = wanted.path as String] in
      unsafe setenv("TZ", "Asia/Kolkata", 1)
      unsafe setenv("LC_ALL", "tr_TR.UTF-8", 1)
      tzset()
      let read = try EventStore(at: URL(filePath: store), plan: MarketPlan.self).delivered().map(
        \.description)
      let text = try Data(contentsOf: URL(filePath: wanted))
      guard !read.isEmpty, Data(read.joined(separator: "\n").utf8) == text else { exit(EXIT_FAILURE) }
    }
  }

  /// The half of the law that needs no migration pass: a prefix is stored as the second version's program
  /// would store it.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a log of which any first part is stored in a later version reads the same`(seed: UInt64) async throws
  {
    var generator = MarketGenerator(seed: seed)
    let events = try (0..<60).map { _ in try generator.nextOfOne() }
    let old = try TemporaryStore()
    try await EventLog(at: old.url).append(events, using: &generator)

    let prefix = generator.number(in: 0..<events.count + 1)
    var later = events
    let second = try EventStore(at: old.url, plan: SecondMarketPlan.self)
    try second.read { (snapshot) throws in
      var entries = try snapshot.entries(limit: prefix)
      while let entry = try entries.next() {
        let (record, payload) = try second.reach.plan.encode(entry.event)
        let index = Int(entry.position.rawValue) - 1
        later[index].entry.type = record.type.text
        later[index].entry.version = SchemaVersion(2, 0, 0)
        later[index].entry.payload = Payload(stored: payload)
      }
    }
    let mixed = try TemporaryStore()
    try await EventLog(at: mixed.url).append(later, using: &generator)
    let wanted = try EventStore(at: old.url, plan: MarketPlan.self).delivered()
    #expect(wanted.count == events.count)
    #expect(try EventStore(at: mixed.url, plan: MarketPlan.self).delivered() == wanted)
  }
}
