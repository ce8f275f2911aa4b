import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// Compares asynchronous sequences with reads in a snapshot, with pages so small that reads span several.
@Suite struct AsyncEntriesTests {
  /// A store of 60 random events of all versions of a market.
  private func market(_ seed: UInt64) async throws -> HeldStore<EventStore<MarketPlan>> {
    var generator = MarketGenerator(seed: seed)
    let place = try TemporaryStore()
    let events = try (0..<60).map { _ in try generator.next() }
    let log = try EventLog(at: place.url)
    try await log.append(events, using: &generator)
    return HeldStore(try EventStore(at: place.url, plan: MarketPlan.self), in: place)
  }

  /// A log of `count` orders in three streams.
  func orders(_ count: Int) async throws -> HeldStore<EventLog> {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append { call in
      for number in 0..<count {
        call.append(
          [NewEntry(type: "Placed", version: nil, payload: Payload(stored: [0xa0]))],
          to: "order-\(number % 3)")
      }
    }
    return HeldStore(log, in: place)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>, [1, 2, 3, 7, 256])
  func `a store gives the same entries as a snapshot, in either direction, up to any limit`(
    seed: UInt64, page: Int
  )
    async throws
  {
    let market = try await market(seed)
    let store = market.store
    var generator = SeededGenerator(seed: seed)
    for backwards in [false, true] {
      let all = try store.delivered(backwards: backwards)
      #expect(try await store.entries(backwards: backwards).delivered(page) == all)
      for limit in [0, 1, all.count - 1, all.count, all.count + 1] + Array(2..<9) {
        let read = try await store.entries(backwards: backwards, limit: limit).delivered(page)
        #expect(read == all.read(upTo: limit) { $0.position })
      }
      for _ in 0..<5 {
        let start = Position(UInt64.random(in: 0...65, using: &generator))
        let limit = Int.random(in: 1..<30, using: &generator)
        let wanted = try store.delivered(from: start, backwards: backwards, limit: limit)
        let read = try await store.entries(from: start, backwards: backwards, limit: limit).delivered(page)
        #expect(read == wanted)
      }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>, [1, 2, 3, 7, 256])
  func `a stream gives the same entries as a snapshot, in either direction, from anywhere`(
    seed: UInt64, page: Int
  )
    async throws
  {
    let market = try await market(seed)
    let store = market.store
    for stream in ["stall-1", "stall/é", "stall/e\u{301}", "never"] as [StreamName] {
      for backwards in [false, true] {
        let all = try store.delivered(in: stream, backwards: backwards)
        #expect(try await store.entries(in: stream, backwards: backwards).delivered(page) == all)
        for start in 0..<12 as Range<UInt64> {
          let read = try await store.entries(
            in: stream, from: Revision(start), backwards: backwards, limit: 5
          ).delivered(page)
          let wanted = try store.read { (snapshot) throws(AnnalsError) in
            var entries = try snapshot.entries(
              in: stream, from: Revision(start), backwards: backwards, limit: 5)
            var wanted: [Delivered] = []
            while let entry = try entries.next() { wanted.append(Delivered(entry)) }
            return wanted
          }
          #expect(read == wanted)
        }
      }
    }
  }

  @Test(arguments: [1, 2, 3, 7, 256])
  func `a log gives every entry as it is stored`(page: Int) async throws {
    let orders = try await orders(40)
    let log = orders.store
    for backwards in [false, true] {
      let positions = Array(1...40 as ClosedRange<UInt64>)
      #expect(
        try await log.entries(backwards: backwards).positions(page)
          == (backwards ? positions.reversed() : positions))
      let second = positions.filter { $0 % 3 == 2 }
      #expect(
        try await log.entries(in: "order-1", backwards: backwards).positions(page)
          == (backwards ? second.reversed() : second))
      #expect(
        try await log.entries(in: "order-1", from: 4, backwards: backwards, limit: 3).positions(page)
          == (backwards ? [14, 11, 8] : [14, 17, 20]))
      #expect(
        try await log.entries(from: 38, backwards: backwards, limit: 2).positions(page)
          == (backwards ? [38, 37] : [38, 39]))
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>, [1, 3, 256])
  func `a prefix gives the events of the streams whose names begin with its bytes`(seed: UInt64, page: Int)
    async throws
  {
    let market = try await market(seed)
    let (store, log) = (market.store, market.store.log)
    // The last begins as a name does that only looks the same.
    for prefix in ["", "stall", "stall/e", "stall-1", "stall/e\u{301}", "none", "stall/\u{e9}"] {
      let begins = { (name: StreamName) in
        Array(name.text.utf8.prefix(prefix.utf8.count)) == Array(prefix.utf8)
      }
      for backwards in [false, true] {
        var wanted: [Delivered] = []
        var positions: [UInt64] = []
        try store.read { (snapshot) throws(AnnalsError) in
          var entries = try snapshot.entries(backwards: backwards)
          while let entry = try entries.next() {
            if begins(entry.stream) { wanted.append(Delivered(entry)) }
          }
        }
        try log.read { (snapshot) throws(AnnalsError) in
          for entry in try snapshot.all() where begins(entry.stream) {
            positions.append(entry.position.rawValue)
          }
        }
        if backwards { positions.reverse() }
        for limit in [Int.max, 4, 0] {
          let events = store.entries(streamPrefix: prefix, backwards: backwards, limit: limit)
          #expect(try await events.delivered(page) == wanted.read(upTo: limit) { $0.position })
          let entries = log.entries(streamPrefix: prefix, backwards: backwards, limit: limit)
          #expect(try await entries.positions(page) == Array(positions.prefix(limit)))
          try log.read { (snapshot) throws(AnnalsError) in
            var read: [UInt64] = []
            var entries = try snapshot.entries(streamPrefix: prefix, backwards: backwards, limit: limit)
            while let entry = try entries.next() { read.append(entry.position.rawValue) }
            #expect(read == Array(positions.prefix(limit)))
          }
          try store.read { (snapshot) throws(AnnalsError) in
            var read: [Delivered] = []
            var entries = try snapshot.entries(streamPrefix: prefix, backwards: backwards, limit: limit)
            while let entry = try entries.next() { read.append(Delivered(entry)) }
            #expect(read == wanted.read(upTo: limit) { $0.position })
          }
        }
      }
    }
  }

  @Test func `a page ends where its bytes are used up, and nothing is left out`() async throws {
    let orders = try await orders(20)
    let log = orders.store
    var entries = log.entries()
    entries.limits.bytes = 1
    #expect(try await entries.positions(256) == Array(1...20))
  }

  @Test(arguments: [1, 3, 256])
  func `entries appended meanwhile are for the next sequence`(page: Int) async throws {
    let orders = try await orders(9)
    let log = orders.store
    var (all, stream) = (log.entries(), log.entries(in: "order-0"))
    (all.limits.elements, stream.limits.elements) = (page, page)
    var read: [UInt64] = []
    for try await entry in all {
      try await log.append([try .placed(1)], to: entry.stream)
      read.append(entry.position.rawValue)
    }
    #expect(read == Array(1...9))
    read = []
    for try await entry in stream {
      try await log.append([try .placed(1)], to: "order-0")
      read.append(entry.revision.rawValue)
    }
    #expect(read == Array(0..<6))
    #expect(try await log.entries().positions(256) == Array(1...24))
  }

  @Test(arguments: [1, 2, 7, 256])
  func `entries before one that cannot be read are given first, and none after it`(page: Int)
    async throws
  {
    let place = try TemporaryStore()
    let log = try place.open()
    func shipped(_ parcel: Payload) -> NewEntry {
      NewEntry(type: "Shipped", version: SchemaVersion(1, 0, 0), payload: parcel)
    }
    let good = try Payload(["parcel": "p"])
    try await log.append(
      [shipped(good), shipped(good), shipped(good), shipped(try Payload(["parcel": 7])), shipped(good)],
      to: "order-1")
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    for entries in [store.entries(), store.entries(in: "order-1")] {
      var entries = entries
      entries.limits.elements = page
      var iterator = entries.makeAsyncIterator()
      var read: [UInt64] = []
      let error = await #expect(throws: AnnalsError.self) {
        while let entry = try await iterator.next() { read.append(entry.position.rawValue) }
      }
      #expect(read == [1, 2, 3])
      #expect(error?.code == .malformed)
      #expect(error?.details.position == 4)
      let next = try await iterator.next()
      #expect(next == nil)
    }
  }

  @Test(arguments: [1, 3, 256])
  func `a run of dropped entries longer than a page is passed over`(page: Int) async throws {
    let place = try TemporaryStore()
    let first = try EventStore(at: place.url, plan: FirstMarketPlan.self)
    let pings = (0..<10).map { MarketV1.Event.pinged(.init(number: $0)) }
    try await first.append(pings + [.shipped(.init(parcel: "p"))] + pings, to: "stall-1")
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    for backwards in [false, true] {
      let entries = store.entries(in: "stall-1", backwards: backwards).paged(page)
      var read: [MarketV3.Event] = []
      for try await entry in entries { read.append(entry.event) }
      #expect(read == [.shipped(.init(parcel: "p"))])
      let first = try await store.entries(backwards: backwards, limit: 1).delivered(page)
      #expect(try first == store.delivered(backwards: backwards))
    }
  }

  @Test func `a name that no stream can have is refused at the first entry`() async throws {
    let orders = try await orders(1)
    let log = orders.store
    let error = await #expect(throws: AnnalsError.self) {
      for try await _ in log.entries(in: "") { Issue.record("an entry was given") }
    }
    #expect(error?.code == .invalidName)
  }

  @Test @MainActor func `a loop on an actor needs nothing more`() async throws {
    let orders = try await orders(5)
    let log = orders.store
    var read: [UInt64] = []
    for try await entry in log.entries() {
      MainActor.assertIsolated()
      read.append(entry.position.rawValue)
    }
    #expect(read == [1, 2, 3, 4, 5])
  }
}

extension AsyncEntries {
  /// The sequence with pages of this many entries.
  fileprivate func paged(_ size: Int) -> Self {
    var paged = self
    (paged.limits.scanned, paged.limits.elements) = (size, size)
    return paged
  }
}

extension AsyncEntries<LogEntry> {
  /// The positions of all entries, read in pages of this size.
  func positions(_ page: Int) async throws(AnnalsError) -> [UInt64] {
    var positions: [UInt64] = []
    for try await entry in paged(page) { positions.append(entry.position.rawValue) }
    return positions
  }
}

extension AsyncEntries {
  /// All events, read in pages of this size.
  fileprivate func delivered<Event>(_ page: Int) async throws(AnnalsError) -> [Delivered]
  where Element == Entry<Event> {
    var all: [Delivered] = []
    for try await entry in paged(page) { all.append(Delivered(entry)) }
    return all
  }
}
