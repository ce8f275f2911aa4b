import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

@Schema(1, 0, 0) private enum Visits1 {
  @Record fileprivate struct VisitNoted: Equatable { var guest: String }
}
@Schema(2, 0, 0) private enum Visits2 {
  @Record fileprivate struct VisitNoted: Equatable {
    var guest: String
    var number: Int
  }
}
private enum FirstPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Visits1, Visits1> {}
}
/// Each visit gets to know where its guest came first.
private enum KeyedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Visits1, Visits2> {
    MigrationStage.custom(
      fromVersion: Visits1.self, toVersion: Visits2.self,
      prepare: { history in
        try KeyedContext(
          history.firstPositions { entry in
            if case .visitNoted(let visit) = entry.event { visit.guest } else { nil }
          })
      }
    ) {
      Upcast(\.visitNoted, to: \.visitNoted) { old, _, firsts in
        .init(guest: old.guest, number: Int(try firsts[old.guest]?.rawValue ?? 0))
      }
    }
  }
}
/// The same with a context of another type.
private enum OtherTypePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Visits1, Visits2> {
    MigrationStage.custom(
      fromVersion: Visits1.self, toVersion: Visits2.self, prepare: { _ in ["Ada": 1] }
    ) {
      Upcast(\.visitNoted, to: \.visitNoted) { old, _, numbers in
        .init(guest: old.guest, number: numbers[old.guest] ?? 0)
      }
    }
  }
}
/// The same with other values.
private enum OtherValuePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Visits1, Visits2> {
    MigrationStage.custom(
      fromVersion: Visits1.self, toVersion: Visits2.self,
      prepare: { _ in try KeyedContext(["Ada": "first"]) }
    ) {
      Upcast(\.visitNoted, to: \.visitNoted) { old, _, words in
        .init(guest: try words[old.guest] ?? "", number: 0)
      }
    }
  }
}

/// The same with an optional context: the stored context is a value.
private enum OptionalPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Visits1, Visits2> {
    MigrationStage.custom(
      fromVersion: Visits1.self, toVersion: Visits2.self,
      prepare: { history -> KeyedContext<String, Position>? in
        let firsts = try history.firstPositions { entry in
          if case .visitNoted(let visit) = entry.event { visit.guest } else { nil }
        }
        return firsts.count > 1 ? try KeyedContext(firsts) : nil
      }
    ) {
      Upcast(\.visitNoted, to: \.visitNoted) { old, _, firsts in
        .init(guest: old.guest, number: Int(try firsts?[old.guest]?.rawValue ?? 0))
      }
    }
  }
}

@Suite struct KeyedContextTests {
  private static let guests = 5_000

  private var activating: StoreOptions {
    var options = StoreOptions()
    options.activating = true
    return options
  }

  /// A store of the first version with two visits of each guest.
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: FirstPlan.self)
    let names = (0..<Self.guests).map { "guest \($0 * 7919 % Self.guests)" }
    try await store.append((names + names).map { .visitNoted(.init(guest: $0)) }, to: "visits")
    return place
  }

  @Test(arguments: [(["Ada", "Bo", "Ada"], [1, 2, 1]), (["Ada"], [0])])
  func `an optional context is stored as a value, and every program that opens the store reads it`(
    guests: [String], numbers: [Int]
  ) async throws {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: FirstPlan.self)
      try await store.append(guests.map { .visitNoted(.init(guest: $0)) }, to: "visits")
    }
    for options in [activating, StoreOptions()] {
      let store = try EventStore(at: place.url, plan: OptionalPlan.self, options: options)
      let found = try store.events().map { event in
        switch event {
        case .visitNoted(let visit): visit.number
        }
      }
      #expect(found == numbers)
    }
  }

  private func expectNumbers(_ store: EventStore<KeyedPlan>) throws {
    let numbers = try store.events().map { event in
      if case .visitNoted(let visit) = event { visit.number } else { 0 }
    }
    #expect(numbers == Array(1...Self.guests) + Array(1...Self.guests))
  }

  // Promise P106.
  @Test
  func `a keyed context is stored in chunks, and processes, passes and later stages look it up alike`()
    async throws
  {
    let place = try await seeded()
    do {
      let store = try EventStore(at: place.url, plan: KeyedPlan.self, options: activating)
      try expectNumbers(store)
    }
    let chunks = try EventLog(at: place.url).read { snapshot in try snapshot.reader.chunkNames().count }
    #expect(chunks > 3)
    let store = try EventStore(at: place.url, plan: KeyedPlan.self)
    try expectNumbers(store)
    _ = try await store.log.compact().report()
    try expectNumbers(store)
    try expectNumbers(EventStore(at: place.url, plan: KeyedPlan.self))
    #expect(try store.log.read { snapshot in try snapshot.reader.chunkNames().count } == chunks)
    _ = try await store.migrate().report()
    try expectNumbers(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a context that was stored as another type does not open`() async throws {
    let place = try await seeded()
    _ = try EventStore(at: place.url, plan: KeyedPlan.self, options: activating)
    let other = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: OtherTypePlan.self) }
    #expect(other?.code == .shapeChanged)
    let value = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: OtherValuePlan.self) }
    #expect(value?.code == .shapeChanged)
    #expect(value?.message.contains("String") == true)
  }

  @Test func `a plain context is not read as a keyed one`() async throws {
    let place = try await seeded()
    _ = try EventStore(at: place.url, plan: OtherTypePlan.self, options: activating)
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: KeyedPlan.self) }
    #expect(error?.code == .shapeChanged)
  }

  @Test func `chunks that an activation left which was cut short are removed by the next one`() async throws {
    let place = try await seeded()
    let log = try EventLog(at: place.url)
    var writing = ContextWriting(log)
    try writing.add(
      (0..<3_000).map { (key: Array("key \($0)".utf8), value: [UInt8](repeating: 7, count: 20)) }, .keyed,
      SchemaVersion(2, 0, 0))
    let left = try log.read { snapshot in try snapshot.reader.chunkNames() }
    #expect(left.count > 3)
    let store = try EventStore(at: place.url, plan: KeyedPlan.self, options: activating)
    try expectNumbers(store)
    let names = try log.read { snapshot in try snapshot.reader.chunkNames() }
    #expect(Set(names).isDisjoint(with: left))
    #expect(!names.isEmpty)
  }

  @Test func `a chunk that is missing is damage, and not a matter of the entry that is read`() async throws {
    let place = try await seeded()
    _ = try EventStore(at: place.url, plan: KeyedPlan.self, options: activating)
    let log = try EventLog(at: place.url)
    let name = try #require(try log.read { snapshot in try snapshot.reader.chunkNames() }.last)
    _ = try ActivationWrite(log).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
      try transaction.remove(name, in: tables.meta)
      return true
    }
    var options = StoreOptions()
    options.unreadable = .quarantine { _ in }
    let store = try EventStore(at: place.url, plan: KeyedPlan.self, options: options)
    let error = #expect(throws: AnnalsError.self) { try store.events() }
    #expect(error?.code == .damaged)
    #expect(store.quarantined == 0)
  }

  @Test func `a keyed context is a value in another context`() throws {
    struct Both: Codable, Sendable {
      var numbers: KeyedContext<String, Int>
      var limit: Int
    }
    let both = Both(numbers: try KeyedContext(["a": 1, "b": 2]), limit: 3)
    let read = try PayloadDecoder.decode(Both.self, from: PayloadEncoder.encode(both))
    #expect(try read.numbers["a"] == 1)
    #expect(try read.numbers["c"] == nil)
    #expect(try KeyedContext(["x"] as Set).contains("x"))
  }
}
