import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsProjections
@testable import AnnalsStore

/// The rows of inline projections in compactions, backups and repairs.
struct InlineMaintenanceTests {
  @Test func `A store is compacted with its inline projections while programs with and without them append`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineNames.self, InlineBalances.self])
    for number in 0..<200 {
      try await store.append(
        [.opened(.init(name: "n\(number)", code: number)), .moved(.init(amount: number))], to: "s\(number)")
    }
    try await store.append([.closed(.init())], to: "s3")
    let generic = try EventLog(at: place.url, options: StoreOptions(creation: .never))
    let ending = Ending()
    let writer = Task { [store] in
      var number = 200
      while await !ending.isOver {
        try await store.append(
          [.opened(.init(name: "n\(number)", code: number)), .moved(.init(amount: number))],
          to: "s\(number)")
        try await store.append([.moved(.init(amount: 1))], to: "s7")
        number += 1
      }
      return number
    }
    for round in 0..<3 {
      let report = try await (round == 1 ? store.log : generic).compact().report()
      #expect(report.isDone)
      try expectAgreement(store)
      try expectAgreement(place.accounts([InlineNames.self, InlineBalances.self]))
    }
    await ending.end()
    let number = try await writer.value
    #expect(try store.holder(of: StreamName("s\(number - 1)")) == "n\(number - 1)")
    #expect(try store.balance(of: "s7") == 7 + number - 200)
    let taken = await #expect(throws: AnnalsError.self) {
      try await store.append([.opened(.init(name: "n9", code: nil))], to: "other")
    }
    #expect(taken?.code == .rejected)
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `A compaction by a program without a projection lets running writers go on`() async throws {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineBalances.self])
    let count = 1_000
    try await store.append((0..<count).map { _ in .moved(.init(amount: 1)) }, to: "t")
    _ = try await place.accounts([]).log.compact().report()
    try await store.append([.moved(.init(amount: 1))], to: "t")
    #expect(try store.balance(of: "t") == count + 1)
  }

  /// Whether a writer is to end.
  private actor Ending {
    var isOver = false

    func end() { isOver = true }
  }

  @Test("a copy of the store has the rows")
  func copies() async throws {
    let place = try TemporaryStore()
    let copy = place.directory.appendingPathComponent("copy.annals")
    do {
      let store = try place.accounts([InlineNames.self, InlineBalances.self])
      for number in 0..<50 {
        try await store.append(
          [.opened(.init(name: "n\(number)", code: nil)), .moved(.init(amount: number))], to: "s\(number)")
      }
      try store.backup(to: copy)
    }
    let second = try EventStore(
      at: copy, plan: InlineAccountsPlan.self, inline: [InlineNames.self, InlineBalances.self])
    #expect(try second.balance(of: "s7") == 7)
    try expectAgreement(second)
    try await second.append([.moved(.init(amount: 1))], to: "s7")
    #expect(try second.balance(of: "s7") == 8)
  }

  @Test("a damaged row is found, and a repair lets the next open fold the rows again")
  func repair() async throws {
    let place = try TemporaryStore()
    do {
      let store = try place.accounts([InlineNames.self])
      for number in 0..<50 {
        try await store.append([.opened(.init(name: "n\(number)", code: number))], to: "s\(number)")
      }
      let (environment, table) = (store.log.core.generation.environment, store.log.core.generation.inline)
      let inline = try #require(table)
      let keys = try store.log.read { (snapshot) throws(AnnalsError) in
        try snapshot.reader.keys(beginningWith: RuleRow.keyPrefix(1), in: inline, limit: 1)[0]
      }
      try environment.write { (transaction) throws(EnvironmentError) in
        let bytes: [UInt8] = [1, 2, 3, 4, 5]
        try transaction.put(bytes.span, forKey: keys.span, in: inline)
      }
      #expect(try store.differencesOfInlineRows().count == 1)
    }
    let found = try EventLog.verify(place.url)
    #expect(found.count == 1 && found.findings.first?.place == "table 'inline', row 1")
    #expect(try EventLog.repair(place.url).isDone)
    let reader = try place.accounts([InlineNames.self], StoreOptions(access: .readOnly))
    let error = #expect(throws: AnnalsError.self) { try reader.holder(of: "s1") }
    #expect(error?.code == .requiresActivation)
    _ = consume reader
    let store = try place.accounts([InlineNames.self])
    #expect(try store.holder(of: "s1") == "n1")
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: [true, false])
  func `a repair leaves a sound store with its rows`(isOpen: Bool) async throws {
    let place = try TemporaryStore()
    var store: EventStore<InlineAccountsPlan>? = try place.accounts([InlineNames.self])
    try await store?.append([.opened(.init(name: "n", code: 1))], to: "s")
    if !isOpen { store = nil }
    for isDryRun in [true, false] {
      let report = try EventLog.repair(place.url, isDryRun: isDryRun)
      #expect(!report.isDone && !report.isNeeded && report.generation == 1 && report.rebuilt.isEmpty)
    }
    #expect(try (store ?? place.accounts([InlineNames.self])).holder(of: "s") == "n")
  }

  @Test func `Incomplete rows are not lent, no append goes on without them, and an open folds them`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineBalances.self])
    try await store.append([.moved(.init(amount: 7))], to: "s")
    let generation = store.log.core.generation
    do {
      var transaction = try generation.environment.beginWrite(durability: .relaxed)
      let table = try #require(transaction.environment.later(StoreTables.inline.name))
      var rows = try StoreReader(transaction.view, generation.tables).storedRuleRows()
      rows[0].folded = 0
      try transaction.put(folded: rows, in: generation.tables.meta)
      let keys = try StoreReader(transaction.view, generation.tables).keys(
        beginningWith: rows[0].keyPrefix, in: table, limit: .max)
      for key in keys { try transaction.delete(key: key.span, in: table) }
      try transaction.commit()
    }
    let error = #expect(throws: AnnalsError.self) { try store.balance(of: "s") }
    #expect(error?.code == .requiresActivation)
    let refused = await #expect(throws: AnnalsError.self) {
      try await store.append([.moved(.init(amount: 1))], to: "s")
    }
    #expect(refused?.code == .requiresActivation && refused?.message.contains("'balances'") == true)
    _ = try place.accounts([InlineBalances.self])
    #expect(try store.balance(of: "s") == 7)
    try await store.append([.moved(.init(amount: 1))], to: "s")
    #expect(try store.balance(of: "s") == 8)
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }
}
