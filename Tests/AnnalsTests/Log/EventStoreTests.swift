import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// The first release of the sample domain.
private enum FirstPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OrdersV1, OrdersV1> {}
}

extension StoreSnapshot {
  fileprivate func all(
    in stream: StreamName, from: Revision? = nil, backwards: Bool = false, limit: Int = .max
  ) throws(AnnalsError) -> [Entry<Event>] {
    var entries = try entries(in: stream, from: from, backwards: backwards, limit: limit)
    var all: [Entry<Event>] = []
    while let entry = try entries.next() { all.append(entry) }
    return all
  }
}

@Suite struct EventStoreTests {
  /// A store that the first release has written.
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: FirstPlan.self)
    try await store.append(
      [
        .placed(.init(lines: ["one pen", "ink"], total: 7)), .pinged(.init(number: 1)),
        .shipped(.init(parcel: "p-1")),
      ], to: "order-1", expecting: .noStream)
    return place
  }

  @Test func `events of an old version read in the current one, in order and by path`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    let entries = try store.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: "order-1") }
    #expect(
      entries.map(\.event) == [
        .priced(.init(total: 7)), .wordAdded(.init(word: "one")), .wordAdded(.init(word: "pen")),
        .wordAdded(.init(word: "ink")), .shipped(.init(parcel: "p-1")),
      ])
    #expect(entries.map(\.path) == [[0], [1, 0], [1, 1], [2, 0], []])
    #expect(entries.map(\.position.rawValue) == [1, 1, 1, 1, 3])
    #expect(entries.map(\.revision.rawValue) == [0, 0, 0, 0, 2])
  }

  @Test func `a limit is exceeded by the rest of an entry, and backwards reverses parts too`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    try store.read { (snapshot) throws in
      let backwards = try snapshot.all(in: "order-1", backwards: true, limit: 3)
      #expect(backwards.map(\.path) == [[], [2, 0], [1, 1], [1, 0], [0]])
      #expect(try snapshot.all(in: "order-1", backwards: true, limit: 1).map(\.path) == [[]])
      #expect(try snapshot.all(in: "order-1", limit: 2).map(\.path) == [[0], [1, 0], [1, 1], [2, 0]])
      #expect(try snapshot.all(in: "order-1", from: 1).map(\.position.rawValue) == [3])
      var log = try snapshot.entries(backwards: true, limit: 1)
      #expect(try log.next()?.event == .shipped(.init(parcel: "p-1")))
    }
  }

  @Test func `expected revisions are those that are stored`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    let done = try await store.append(
      [.wordAdded(.init(word: "more"))], to: "order-1", expecting: .revision(2))
    #expect(done.revision == 3)
    #expect(done.position == 4)
  }

  @Test func `ids, metadata and times are kept`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    let id = UUID()
    let event = NewEvent<OrdersV3.Event>(
      .priced(.init(total: 1)), id: id, metadata: ["user": "7"],
      time: Date(timeIntervalSinceReferenceDate: 86_400.5))
    try await store.append([event], to: "order-2")
    let again = try await store.append([event], to: "order-2", expecting: .noStream)
    #expect(again.wasRepeated)
    #expect(again.positions == [1])
    let entries = try store.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: "order-2") }
    #expect(entries.map(\.id) == [id])
    #expect(entries.first?.metadata["user"] == "7")
    #expect(entries.first?.timestamp.description == "2001-01-02T00:00:00.500000Z")
  }

  // Promise P129.
  @Test func `a store that holds events without a path is refused with all of them`() async throws {
    let place = try await seeded()
    let log = try EventLog(at: place.url)
    try await log.append(
      [
        NewEntry(type: "Lost", version: SchemaVersion(1, 0, 0), payload: try Payload([:])),
        NewEntry(type: "Placed", version: nil, payload: try Payload([:])),
      ], to: "order-3")
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: OrderPlan.self) }
    #expect(error?.code == .noPath)
    #expect(error?.details.kinds.map(\.type) == ["Lost", "Placed"])
    #expect(error?.details.kinds.map(\.count) == [1, 1])
    #expect(error?.details.kinds.map(\.firstPosition.rawValue) == [4, 5])
  }

  @Test func `a store of a newer version is refused`() async throws {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: OrderPlan.self)
    try await newer.append([.priced(.init(total: 1))], to: "order-1")
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: FirstPlan.self) }
    #expect(error?.code == .newerSchema)
  }

  @Test func `a payload that is not of its type names position, type, version and cause`() async throws {
    let place = try await seeded()
    let log = try EventLog(at: place.url)
    try await log.append(
      [NewEntry(type: "Shipped", version: SchemaVersion(2, 0, 0), payload: try Payload(["parcel": 7]))],
      to: "order-9")
    let store = try EventStore(at: place.url, plan: OrderPlan.self)
    let error = #expect(throws: AnnalsError.self) {
      try store.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: "order-9") }
    }
    #expect(error?.code == .malformed)
    #expect(error?.details.position == 4)
    #expect(error?.details.type == "Shipped")
    #expect(error?.details.version == SchemaVersion(2, 0, 0))
    #expect(error?.message.contains("parcel") == true)
  }
}
