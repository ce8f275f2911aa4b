import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// What a pass counts: events, also those that are parts of an entry, and all that it did, however often it
/// was interrupted.
@Suite struct PassCountTests {
  @Schema(1, 0, 0) enum Carts1 {
    @Record struct Filled: Equatable { var prices: [Int] }
  }
  @Schema(2, 0, 0) enum Carts2 {
    @Record struct Added: Equatable { var price: Int }
  }
  @Schema(3, 0, 0) enum Carts3 {
    @Record struct Priced: Equatable { var price: Int }
  }
  enum First: SchemaMigrationPlan { static var stages: MigrationChain<Carts1, Carts1> {} }
  enum Second: SchemaMigrationPlan {
    static var stages: MigrationChain<Carts1, Carts2> { PassCountTests.splitting }
  }
  enum Third: SchemaMigrationPlan {
    static var stages: MigrationChain<Carts1, Carts3> {
      PassCountTests.splitting
      MigrationStage.custom(fromVersion: Carts2.self, toVersion: Carts3.self) {
        Split(\.added, into: [\.priced], emptyBecause: "free") { old, _ in
          old.price > 0 ? [.priced(.init(price: old.price))] : []
        }
      }
    }
  }
  enum Strict: SchemaMigrationPlan {
    struct Free: Error {}
    static var stages: MigrationChain<Carts1, Carts3> {
      PassCountTests.splitting
      MigrationStage.custom(fromVersion: Carts2.self, toVersion: Carts3.self) {
        Upcast(\.added, to: \.priced) { old, _ in
          guard old.price > 0 else { throw Free() }
          return .init(price: old.price)
        }
      }
    }
  }
  static var splitting: MigrationStage<Carts1, Carts2> {
    MigrationStage.custom(fromVersion: Carts1.self, toVersion: Carts2.self) {
      Split(\.filled, into: [\.added]) { old, _ in old.prices.map { .added(.init(price: $0)) } }
    }
  }

  private func seeded(_ carts: [[Int]]) async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: First.self).append(
      carts.map { .filled(.init(prices: $0)) }, to: "a")
    return place
  }

  @Test(arguments: [true, false])
  func `each part that a rule drops is counted, also of an entry of which others are left`(inTwo: Bool)
    async throws
  {
    let place = try await seeded([[1, 0, 2, 0], [3], [0, 0, 0, 0]])
    if inTwo { _ = try EventStore(at: place.url, plan: Second.self).migrate().join() }
    let store = try EventStore(at: place.url, plan: Third.self)
    var rehearsal = MigrationOptions()
    rehearsal.isRehearsal = true
    let dropped = [
      MigrationReport.Dropped(type: inTwo ? "Added" : "Filled", reason: "free", count: 6)
    ]
    #expect(try store.migrate(rehearsal).join().dropped == dropped)
    #expect(try store.migrate().join().dropped == dropped)
    #expect(try store.events().count == 3)
    // Of the last entry alone nothing is left.
    #expect(try store.contract(.init(isRehearsal: true)).droppedEntries == 1)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test
  func `each part of an entry that is set aside is counted everywhere`()
    async throws
  {
    let place = try await seeded([[1, 0, 2, 3], [4]])
    _ = try EventStore(at: place.url, plan: Second.self).migrate().join()
    var reading = StoreOptions()
    reading.unreadable = .quarantine { _ in }
    let store = try EventStore(at: place.url, plan: Strict.self, options: reading)
    var options = MigrationOptions()
    options.unreadable = .quarantine
    #expect(try store.migrate(options).join().quarantined == 4)
    let census = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.census() }
    #expect(census.reduce(0) { $0 + $1.quarantined } == 4)
    #expect(try store.contract(.init(isRehearsal: true)).quarantined == 4)
    #expect(try store.contract(.init(givingUpQuarantined: 4, confirming: 0)).isContracted)
  }

  @Test func `only entries that change are rewritten, and a rehearsal counts the same`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: First.self)
    try await older.append([.filled(.init(prices: [1, 2])), .filled(.init(prices: [3, 4]))], to: "a")
    let store = try EventStore(at: place.url, plan: Second.self)
    var rehearsal = MigrationOptions()
    rehearsal.isRehearsal = true
    func passes() throws -> [MigrationReport] {
      [try store.migrate(rehearsal).join(), try store.migrate().join()]
    }
    #expect(try passes().map(\.rewritten) == [2, 2])
    let idle = try passes()
    #expect(idle.map(\.rewritten) == [0, 0] && idle.map(\.bytesAfter) == [0, 0])
    #expect(idle.map(\.isRehearsal) == [true, false] && idle.allSatisfy { !$0.isDone })
    try await older.append([.filled(.init(prices: [5, 6]))], to: "a")
    let last = try passes()
    #expect(last.map(\.rewritten) == [1, 1] && last.map(\.split) == [1, 1])
    #expect(last.map(\.isDone) == [false, true])
    #expect(try store.events().count == 6)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a pass that continues also reports its work before the interruption`() async throws {
    let carts = (1...120).map { [$0, 0, $0] }
    let whole = try await seeded(carts)
    let expected = try EventStore(at: whole.url, plan: Third.self).migrate().join()
    let place = try await seeded(carts)
    let store = try EventStore(at: place.url, plan: Third.self)
    var options = MigrationOptions()
    options.rate = 10
    let run = try store.migrate(options)
    for await progress in run.progress where progress.done > 0 && progress.phase == .copying { break }
    run.stop()
    await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(try EventLog.inspect(place.url).pass?.version == SchemaVersion(3, 0, 0))
    let report = try await store.migrate().report()
    #expect(report.resumedAt > 0)
    #expect(report.rewritten == expected.rewritten && report.split == expected.split)
    #expect(report.dropped == expected.dropped && report.dropped.map(\.count) == [120])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `the report of a pass is stored in bounded space`() throws {
    var row = PassTallyRow()
    row.changes.rewritten = 3
    row.moved = FormatRange.maximum
    for number in 0..<1_500 {
      row.changes.drops[.init(type: "T", reason: "\(number)")] = UInt64(number) + 1
    }
    let bytes = row.encoded()
    let read = try PassTallyRow(bytes.span)
    #expect(read.changes.rewritten == 3 && read.moved == FormatRange.maximum)
    #expect(read.changes.drops.count == 1_000)
    #expect(
      read.changes.drops.values.sum() == row.changes.drops.values.sum())
    for count in [0, 1, bytes.count - 1] {
      let part = Array(bytes.prefix(count))
      #expect(throws: FormatFailure.self) { try PassTallyRow(part.span) }
    }
  }
}

extension PassCountTests.Carts3.Event: Equatable {}
