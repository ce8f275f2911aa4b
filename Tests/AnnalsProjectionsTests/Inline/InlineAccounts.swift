import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// Accounts with names that nobody else has and balances that never fall below zero.
@Schema(1, 0, 0) enum InlineAccountsV1 {
  @Record struct Opened { var name: String; var code: Int? }
  @Record struct Moved { var amount: Int }
  @Record struct Closed {}
}

enum InlineAccountsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<InlineAccountsV1, InlineAccountsV1> {}
}

/// The names that are taken, by a key of its own and by one that is declared unique.
enum InlineNames: InlineProjection {
  typealias Event = InlineAccountsV1.Event
  @Record struct Name: ProjectionRow {
    var account: String
    var name: String
    var code: Int?

    var key: String { account }
    static let byName = SecondaryKey<Name, String>("name", unique: true) { $0.name }
    static let byCode = SecondaryKey<Name, Int>("code") { $0.code }
    static var secondaryKeys: [any DeclaredKey<Name>] { [byName, byCode] }
  }

  static let name = "names"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Name.self)] }
  static var events: EventQuery<Event> { [\.opened, \.closed] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .opened(let opened):
      guard try rows.get(Name.self, entry.stream.text) == nil else { throw Rejection("the account is open") }
      try rows.put(Name(account: entry.stream.text, name: opened.name, code: opened.code))
    case .closed: try rows.delete(Name.self, entry.stream.text)
    case .moved: break
    }
  }
}

/// What accounts hold.
enum InlineBalances: InlineProjection {
  typealias Event = InlineAccountsV1.Event
  @Record struct Balance: ProjectionRow {
    var account: String
    var amount: Int
    var last: Position
    var key: String { account }
  }

  static let name = "balances"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Balance.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .moved(let moved) = entry.event else { return }
    let account = entry.stream.text
    try rows.update(Balance.self, account, initial: Balance(account: account, amount: 0, last: 0)) {
      $0.amount += moved.amount
      $0.last = entry.position
      if $0.amount < -1_000 { throw Rejection("the balance would be \($0.amount)") }
    }
  }
}

/// The names of ``InlineNames`` in a later version, which lets accounts share them.
enum InlineNames2: InlineProjection {
  typealias Event = InlineAccountsV1.Event
  @Record struct Holder: ProjectionRow {
    var name: String
    var accounts: [String]
    var key: String { name }
  }

  static let name = "names"
  static let version = 2
  static var tables: [ProjectionTable] { [.rows(Holder.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .opened(let opened) = entry.event else { return }
    try rows.update(Holder.self, opened.name, initial: Holder(name: opened.name, accounts: [])) {
      $0.accounts.append(entry.stream.text)
    }
  }
}

extension TemporaryStore {
  /// The store of accounts with some inline projections.
  func accounts(
    _ inline: [any InlineProjection<InlineAccountsV1.Event>.Type], activating: Bool = false,
    _ options: StoreOptions = .merging(every: 16)
  ) throws(AnnalsError) -> EventStore<InlineAccountsPlan> {
    var options = options
    options.activating = activating
    return try EventStore(at: url, plan: InlineAccountsPlan.self, options: options, inline: inline)
  }
}

extension EventStore where Plan == InlineAccountsPlan {
  /// The account that has a name.
  func holder(of account: StreamName) throws(AnnalsError) -> String? {
    try read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(InlineNames.self).get(InlineNames.Name.self, account.text)?.name
    }
  }

  /// What an account holds.
  func balance(of account: StreamName) throws(AnnalsError) -> Int? {
    try read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(InlineBalances.self).get(InlineBalances.Balance.self, account.text)?.amount
    }
  }

  /// The rows of `meta` about inline projections.
  func ruleRows() throws(AnnalsError) -> [RuleRow] {
    try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.ruleRows() }
  }

  /// Puts rows of `meta` about inline projections, as another program would, with how far they are folded.
  func put(_ rows: [RuleRow]) throws(AnnalsError) {
    _ = try ActivationWrite(log).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
      var meta = StoreMeta(log: log.id)
      meta.requires = [.inline]
      try transaction.put(meta.value(of: .requires), StoreMeta.Name.requires.rawValue, in: tables.meta)
      for row in rows { try transaction.put(row, in: tables.meta) }
      let all = try StoreReader(transaction.view, tables).ruleRows().map { stored in
        rows.first { $0.number == stored.number } ?? stored
      }
      try transaction.put(folded: all, in: tables.meta)
      return true
    }
  }
}

/// Expects that the rows of the store's inline projections are those that a fold of the log gives.
func expectAgreement<Plan: SchemaMigrationPlan>(
  _ store: EventStore<Plan>, location: SourceLocation = #_sourceLocation
) throws {
  let differences = try store.differencesOfInlineRows()
  #expect(differences == [], sourceLocation: location)
}
