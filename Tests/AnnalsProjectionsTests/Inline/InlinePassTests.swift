import Foundation
import LMDB
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsProjections
@testable import AnnalsStore

/// Accounts whose owners have two names.
@Schema(2, 0, 0) private enum InlineOwnersV2 {
  @Record struct Opened { var first: String; var last: String; var code: Int? }
  @Record struct Moved { var amount: Int }
}

private enum InlineOwnersPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<InlineAccountsV1, InlineOwnersV2> {
    MigrationStage.custom(fromVersion: InlineAccountsV1.self, toVersion: InlineOwnersV2.self) {
      Upcast(\.opened, to: \.opened) { old, _ in
        let words = old.name.split(separator: " ").map(String.init)
        return .init(first: words[0], last: words[words.count - 1], code: old.code)
      }
      Drop(\.closed, reason: "accounts stay")
    }
  }
}

/// The last names of owners, which no two accounts have, in the version after ``InlineNames``.
private enum InlineOwners: InlineProjection {
  typealias Event = InlineOwnersV2.Event
  @Record struct Owner: ProjectionRow {
    var account: String
    var last: String
    var time: Date
    var key: String { account }
    static let byLast = SecondaryKey<Owner, String>("last", unique: true) { $0.last }
    static var secondaryKeys: [any DeclaredKey<Owner>] { [byLast] }
  }

  static let name = "names"
  static let version = 2
  static var tables: [ProjectionTable] { [.rows(Owner.self)] }
  static var events: EventQuery<Event> { [\.opened] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .opened(let opened) = entry.event else { return }
    try rows.put(Owner(account: entry.stream.text, last: opened.last, time: entry.time))
  }
}

struct InlinePassTests {
  private func open(_ place: TemporaryStore, activating: Bool = false) throws
    -> EventStore<InlineOwnersPlan>
  {
    var options = StoreOptions.merging(every: 16)
    options.activating = activating
    return try EventStore(
      at: place.url, plan: InlineOwnersPlan.self, options: options, inline: [InlineOwners.self])
  }

  @Test("a pass folds the rows again, from entries in their new form, and the earlier rows do not change")
  func pass() async throws {
    let place = try TemporaryStore()
    do {
      let old = try place.accounts([InlineNames.self])
      for number in 0..<300 {
        try await old.append(
          [.opened(.init(name: "A N\(number)", code: number)), .moved(.init(amount: 1))], to: "s\(number)")
      }
      try await old.append([.closed(.init())], to: "s0")
    }
    let store = try open(place, activating: true)
    try expectAgreement(store)
    let before = try rows(store)
    #expect(before.count == 600)
    let plain = try EventStore(at: place.url, plan: InlineOwnersPlan.self)
    let error = await #expect(throws: AnnalsError.self) { _ = try await plain.migrate().report() }
    #expect(error?.code == .needsPlan)
    #expect(try await plain.log.compact().report().isDone)
    #expect(try rows(store) == before)
    try expectAgreement(store)
    let run = try store.migrate()
    for number in 300..<330 {
      try await store.append([.opened(.init(first: "A", last: "N\(number)", code: nil))], to: "s\(number)")
    }
    #expect(try await run.report().isDone)
    try await store.append([.opened(.init(first: "A", last: "M", code: nil))], to: "m")
    let taken = await #expect(throws: AnnalsError.self) {
      try await store.append([.opened(.init(first: "B", last: "N7", code: nil))], to: "b")
    }
    #expect(taken?.code == .rejected)
    let after = try rows(store)
    #expect(after.count == 600 + 62)
    #expect(before.allSatisfy { after[$0.key] == $0.value })
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `A pass leaves a projection out of force that was not activated before`() async throws {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    do {
      let old = try place.accounts([])
      for number in 0..<20 {
        try await old.append([.opened(.init(name: "A N\(number)", code: number))], to: "s\(number)")
      }
      // An interrupted activation has left it.
      let outline = try ProjectionOutline(InlineOwners.self)
      try old.put([RuleRow(number: 1, version: 2, name: outline.name, text: outline.text)])
    }
    let store = try open(place)
    #expect(try await store.migrate().report().isDone)
    #expect(try store.log.inlineProjections().isEmpty)
    try await store.append([.opened(.init(first: "B", last: "M", code: nil))], to: "m")
    #expect(try await store.log.compact().report().isDone)
    _ = try store.activate()
    #expect(try rows(store).count == 42)
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test
  func `A pass by a program with a raised projection waits for its activation, and a compaction does not`()
    async throws
  {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    do {
      let old = try place.accounts([InlineNames.self])
      try await old.append([.opened(.init(name: "A N", code: 1))], to: "a")
    }
    let store = try open(place)
    let error = await #expect(throws: AnnalsError.self) { _ = try await store.migrate().report() }
    #expect(error?.code == .requiresActivation && error?.message.contains("'names'") == true)
    #expect(try await store.log.compact().report().isDone)
    do {
      let old = try place.accounts([InlineNames.self])
      #expect(try old.holder(of: "a") == "A N")
      try await old.append([.opened(.init(name: "B M", code: 2))], to: "b")
      try expectAgreement(old)
    }
    _ = try store.activate()
    #expect(try await store.migrate().report().isDone)
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test("rows are those of the log after a process is killed at any moment of a pass")
  func kills() async throws {
    let place = try TemporaryStore()
    do {
      let old = try place.accounts([])
      for number in 0..<40 {
        try await old.append(
          [.opened(.init(name: "A N\(number)", code: number))]
            + (0..<400).map { .moved(.init(amount: $0)) }, to: "s\(number)")
      }
      _ = try open(place, activating: true)
    }
    for round in 0..<4 {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = place.url.path as String, round = round as Int] in
        let killer = Thread {
          usleep(UInt32(40_000 * (round + 1)))
          kill(getpid(), SIGKILL)
        }
        killer.start()
        let store = try EventStore(
          at: URL(fileURLWithPath: path), plan: InlineOwnersPlan.self, inline: [InlineOwners.self])
        _ = try await store.migrate().report()
        var number = 0
        while true {
          number += 1
          try await store.append(
            [.opened(.init(first: "B", last: "r\(round) \(number)", code: nil))], to: "r\(round) \(number)")
        }
      }
      try expectAgreement(open(place))
    }
    let store = try open(place)
    _ = try await store.migrate().report()
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  /// All rows by what follows the number in their keys.
  private func rows(_ store: EventStore<InlineOwnersPlan>) throws -> [[UInt8]: [UInt8]] {
    try store.log.read { (snapshot) throws(AnnalsError) in
      guard let table = snapshot.generation.inline,
        let row = try snapshot.reader.ruleRows().first(where: { $0.version == 2 })
      else { return [:] }
      var rows: [[UInt8]: [UInt8]] = [:]
      for key in try snapshot.reader.keys(beginningWith: row.keyPrefix, in: table, limit: .max) {
        do {
          rows[Array(key.dropFirst(2))] = try snapshot.reader.view.value(forKey: key.span, in: table)?.copied
        } catch {
          throw AnnalsError(.inputOutput, "\(error)")
        }
      }
      return rows
    }
  }
}
