import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

@Suite struct RewriteQuarantineTests {
  /// A store of a ledger with two amounts that the strict plan's rule refuses, at 2 and 4.
  private func ledger() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write(
      [
        .moved(.init(amount: 1)), .moved(.init(amount: -2)), .closed(.init(year: 3)),
        .moved(.init(amount: -4)),
      ], as: LedgerV1.self)
    return place
  }

  private func quarantining() -> RewrittenStore.Way {
    var way = RewrittenStore.Way()
    way.isQuarantining = true
    return way
  }

  /// The error that a read with `plan` stops at.
  private func failure<Plan: SchemaMigrationPlan>(_ url: URL, _ plan: Plan.Type) throws -> AnnalsError? {
    do throws(AnnalsError) {
      _ = try EventStore(at: url, plan: plan).delivered()
      return nil
    } catch {
      return error
    }
  }

  @Test func `an entry that cannot be upcast stops the rewrite with the error of a read`() async throws {
    let place = try await ledger()
    let wanted = try failure(place.url, StrictLedger.self)
    #expect(wanted?.details.position == 2)
    let stopped = #expect(throws: AnnalsError.self) { try RewrittenStore(place.url, StrictLedger.self) }
    #expect(stopped?.code == wanted?.code)
    #expect(stopped?.message == wanted?.message)
    #expect(stopped?.details.position == 2)
    #expect(stopped?.details.type == "Moved")
    #expect(stopped?.details.version == SchemaVersion(1, 0, 0))
  }

  @Test func `several threads stop at the same entry as one`() async throws {
    let place = try await ledger()
    var way = RewrittenStore.Way()
    way.threads = 3
    way.runEntries = 1
    let stopped = #expect(throws: AnnalsError.self) { try RewrittenStore(place.url, StrictLedger.self, way) }
    #expect(stopped?.details.position == 2)
  }

  @Test func `an entry that is set aside reads with the same error as before`() async throws {
    let place = try await ledger()
    let wanted = try failure(place.url, StrictLedger.self)
    let rewritten = try RewrittenStore(place.url, StrictLedger.self, quarantining())
    #expect(try failure(rewritten.url, StrictLedger.self)?.message == wanted?.message)
    #expect(try EventLog.verify(rewritten.url).findings == [])
    var passedOver = StoreOptions()
    passedOver.unreadable = .quarantine { _ in }
    let store = try EventStore(at: rewritten.url, plan: StrictLedger.self, options: passedOver)
    #expect(try store.events() == [.moved(.init(amount: 1, currency: "EUR")), .closed(.init(year: 3))])
    #expect(store.quarantined == 2)
  }

  @Test func `quarantined entries are counted under their own kind, and not as events`() async throws {
    let place = try await ledger()
    let rewritten = try RewrittenStore(place.url, StrictLedger.self, quarantining())
    let census = try EventLog(at: rewritten.url).read { snapshot throws(AnnalsError) in try snapshot.census()
    }
    let old = try #require(census.first { $0.type == "Moved" && $0.version == SchemaVersion(1, 0, 0) })
    #expect(old.quarantined == 2)
    #expect(old.count == 0)
    #expect(old.bytes == 0)
    #expect(old.first == 2)
    #expect(census.reduce(0) { $0 + $1.count } == 2)
  }

  @Test func `a rewrite that still cannot upcast it changes no byte`() async throws {
    let place = try await ledger()
    let once = try RewrittenStore(place.url, StrictLedger.self, quarantining())
    let twice = try RewrittenStore(once.url, StrictLedger.self, quarantining())
    #expect(try twice.rows() == once.rows())
  }

  @Test func `a rewrite with a repaired rule upcasts quarantined entries`() async throws {
    let place = try await ledger()
    let aside = try RewrittenStore(place.url, StrictLedger.self, quarantining())
    let mended = try RewrittenStore(aside.url, MendedLedger.self)
    let atOnce = try RewrittenStore(place.url, MendedLedger.self)
    #expect(try mended.entries() == atOnce.entries())
    #expect(try EventLog.verify(mended.url).findings == [])
  }

  @Test func `a damaged entry stops every rewrite, also one that sets entries aside`() async throws {
    let place = try await ledger()
    let log = try EventLog(at: place.url)
    try log.core.generation.environment.write { (transaction) throws(EnvironmentError) in
      try transaction.put([1, 2, 3].span, forKey: 3, in: log.core.generation.tables.entries)
    }
    let stopped = #expect(throws: AnnalsError.self) {
      try RewrittenStore(place.url, StrictLedger.self, quarantining())
    }
    #expect(stopped?.code == .damaged)
    #expect(stopped?.details.position == 3)
  }

  @Test func `a missing entry stops every rewrite`() async throws {
    let place = try await ledger()
    let log = try EventLog(at: place.url)
    try log.core.generation.environment.write { (transaction) throws(EnvironmentError) in
      _ = try transaction.delete(key: 3, in: log.core.generation.tables.entries)
    }
    let stopped = #expect(throws: AnnalsError.self) { try RewrittenStore(copying: place.url) }
    #expect(stopped?.code == .damaged)
    #expect(stopped?.details.position == 3)
  }

  @Test func `a stub has the reason that a split states`() async throws {
    let place = try await ledger()
    let rewritten = try RewrittenStore(place.url, ThriftyLedger.self)
    let entries = try EventLog(at: rewritten.url).read { snapshot throws(AnnalsError) in try snapshot.all() }
    #expect(entries.map(\.content)[0] == .stub(reason: "too small to keep"))
    #expect(entries[0].version == SchemaVersion(1, 0, 0))
    #expect(entries[0].type == "Moved")
  }
}
