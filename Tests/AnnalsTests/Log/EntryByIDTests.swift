import Annals
import Foundation
import Testing

@testable import AnnalsFormat
@testable import AnnalsLog
@testable import LMDB

@Schema(1, 0, 0) enum ParcelsV1 {
  @Record struct Packed: Equatable { var items: [String] }
  @Record struct Weighed: Equatable { var grams: Int }
}

/// A packing is split into its items, and weights are dropped.
@Schema(2, 0, 0) enum ParcelsV2 {
  @Record struct ItemPacked: Equatable { var item: String }
}

enum ParcelsFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<ParcelsV1, ParcelsV1> {}
}

enum ParcelsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ParcelsV1, ParcelsV2> {
    MigrationStage.custom(fromVersion: ParcelsV1.self, toVersion: ParcelsV2.self) {
      Split(\.packed, into: [\.itemPacked]) { old, _ in old.items.map { .itemPacked(.init(item: $0)) } }
      Drop(\.weighed, reason: "weights are kept elsewhere")
    }
  }
}

/// Reading one event of a stream by the id that its caller gave it.
@Suite struct EntryByIDTests {
  private static let settings: [StoreOptions.Idempotency] = [.window(4), .always]

  private static func options(_ idempotency: StoreOptions.Idempotency) -> StoreOptions {
    var options = StoreOptions()
    options.idempotency = idempotency
    options.mergeInterval = .init(entries: 32)
    return options
  }

  private static func entry(_ id: UUID?, _ number: Int) throws -> NewEntry {
    NewEntry(type: "Noted", version: nil, payload: try Payload(["n": CBOR(number)]), id: id)
  }

  private static func position(_ log: EventLog, _ id: UUID, _ stream: StreamName) throws -> UInt64? {
    try log.read { snapshot throws(AnnalsError) in
      let entry = try snapshot.entry(id: id, in: stream)
      if let entry { #expect(entry.id == id && entry.stream == stream) }
      return entry?.position.rawValue
    }
  }

  @Test(arguments: settings)
  func `an entry is found by its id in its stream alone, however old it is`(
    idempotency: StoreOptions.Idempotency
  ) async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    var ids: [(id: UUID, stream: StreamName, position: UInt64)] = []
    do {
      let log = try EventLog(at: place.url, options: Self.options(idempotency))
      for number in 0..<120 {
        let id = number % 3 == 2 ? nil : UUID()
        let stream: StreamName = number % 2 == 0 ? "a" : "b"
        let done = try await log.append([Self.entry(id, number)], to: stream)
        if let id { ids.append((id, stream, done.positions[0].rawValue)) }
      }
      for (id, stream, position) in ids { #expect(try Self.position(log, id, stream) == position) }
    }
    let log = try EventLog(at: place.url)
    for (id, stream, position) in ids {
      #expect(try Self.position(log, id, stream) == position)
      #expect(try Self.position(log, id, stream == "a" ? "b" : "a") == nil)
    }
    #expect(try Self.position(log, UUID(), "a") == nil)
    #expect(try Self.position(log, ids[0].id, "nobody") == nil)
    let error = #expect(throws: AnnalsError.self) { try Self.position(log, ids[0].id, "") }
    #expect(error?.code == .invalidName)
    _ = try await log.compact().report()
    for (id, stream, position) in ids { #expect(try Self.position(log, id, stream) == position) }
  }

  @Test func `beyond the window an id may be stored again, and the newest entry with it is found`()
    async throws
  {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url, options: Self.options(.window(4)))
    let id = UUID()
    try await log.append([Self.entry(id, 0)], to: "a")
    for number in 1...6 { try await log.append([Self.entry(nil, number)], to: "a") }
    #expect(try Self.position(log, id, "a") == 1)
    #expect(try await !log.append([Self.entry(id, 7)], to: "a").wasRepeated)
    #expect(try Self.position(log, id, "a") == 8)
  }

  @Test(arguments: settings)
  func `an erased or truncated entry is not found by its id`(
    idempotency: StoreOptions.Idempotency
  ) async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url, options: Self.options(idempotency))
    let ids = (0..<6).map { _ in UUID() }
    for (number, id) in ids.enumerated() { try await log.append([Self.entry(id, number)], to: "a") }
    try log.erase([Position(4)], by: "jane", because: "request")
    try await log.truncate("a", before: 2)
    let found = try ids.map { try Self.position(log, $0, "a") }
    #expect(found == [nil, nil, 3, nil, 5, 6])
    _ = try await log.compact().report()
    #expect(try ids.map { try Self.position(log, $0, "a") } == found)
    try await log.truncate("a", before: 6)
    #expect(try ids.allSatisfy { try Self.position(log, $0, "a") == nil })
  }

  @Test(arguments: settings)
  func `a typed read by id gives the event, each part of a split, and nothing of a dropped one`(
    idempotency: StoreOptions.Idempotency
  ) async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let (packed, empty, weighed) = (UUID(), UUID(), UUID())
    do {
      let store = try EventStore(
        at: place.url, plan: ParcelsFirst.self, options: Self.options(idempotency))
      try await store.append(
        [
          NewEvent(.packed(.init(items: ["tea", "cup"])), id: packed),
          NewEvent(.packed(.init(items: [])), id: empty), NewEvent(.weighed(.init(grams: 9)), id: weighed),
        ], to: "p")
      let event = try store.read { snapshot throws(AnnalsError) in
        try snapshot.entry(id: weighed, in: "p")?.event
      }
      guard case .weighed(let weight) = event else { return #expect(Bool(false)) }
      #expect(weight.grams == 9)
    }
    let store = try EventStore(at: place.url, plan: ParcelsPlan.self)
    for isPassed in [false, true] {
      if isPassed { _ = try await store.migrate().report() }
      func items(_ id: UUID) throws -> [String] {
        try store.read { snapshot throws(AnnalsError) in
          var entries = try snapshot.entries(id: id, in: "p")
          var items: [String] = []
          while let entry = try entries.next() {
            #expect(entry.id == id)
            if case .itemPacked(let packed) = entry.event { items.append(packed.item) }
          }
          return items
        }
      }
      #expect(try items(packed) == ["tea", "cup"])
      #expect(try items(empty) == [] && items(weighed) == [] && items(UUID()) == [])
      let first = try store.read { snapshot throws(AnnalsError) in try snapshot.entry(id: packed, in: "p") }
      guard case .itemPacked(let tea) = first?.event else { return #expect(Bool(false)) }
      #expect(tea.item == "tea" && first?.position == 1)
      let none = try store.read { snapshot throws(AnnalsError) in try snapshot.entry(id: weighed, in: "p") }
      #expect(none?.position == nil)
    }
  }

  @Test func `a snapshot from before the index of ids finds entries without it`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url, options: Self.options(.window(4)))
    let ids = (0..<20).map { _ in UUID() }
    for (number, id) in ids.enumerated() { try await log.append([Self.entry(id, number)], to: "a") }
    try log.read { (snapshot) throws in
      _ = try log.setIdempotency(.always)
      #expect(try snapshot.entry(id: ids[0], in: "a")?.position == 1)
    }
    for (number, id) in ids.enumerated() { #expect(try Self.position(log, id, "a") == UInt64(number) + 1) }
  }

  @Test func `an index that leads to another entry is damage`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url, options: Self.options(.always))
    let ids = (0..<4).map { _ in UUID() }
    for (number, id) in ids.enumerated() { try await log.append([Self.entry(id, number)], to: "a") }
    let generation = log.core.generation
    let index = try #require(generation.environment.ids)
    for wrong in [0, 9] as [Revision] {
      try generation.environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
        try transaction.put(IDRow(stream: 1, id: ids[2], revision: wrong), in: index)
      }
      let error = #expect(throws: AnnalsError.self) { try Self.position(log, ids[2], "a") }
      #expect(error?.code == .damaged && error?.details.table == "ids")
      #expect(try Self.position(log, ids[1], "a") == 2)
    }
  }
}
