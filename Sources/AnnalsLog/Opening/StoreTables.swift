package import AnnalsCoding
package import LMDB

/// The open tables of a generation (docs/format.md).
///
/// It is a reference, because every look at a row passes it on.
package final class StoreTables: Sendable {
  package let entries, streams, heads, schemas, kinds, census, meta: Table

  /// The tables that every store has, in the order in which they are opened.
  package static let definitions = [
    entries,
    TableDefinition("streams", integerKeys: false),
    TableDefinition("heads", integerKeys: true),
    TableDefinition("schemas", integerKeys: true),
    TableDefinition("kinds", integerKeys: true),
    TableDefinition("census", integerKeys: true),
    TableDefinition("meta", integerKeys: false),
  ]

  /// The entries by position.
  package static let entries = TableDefinition("entries", integerKeys: true)

  /// The small tables, which hold the store's whole description of itself, and the journal. They are all that
  /// LMDB reads when a store is opened.
  package static let small = ["schemas", "kinds", "census", "meta", "journal"]

  /// The rows of inline projections: a table that a store has from its first inline projection on.
  package static let inline = TableDefinition("inline", integerKeys: false)

  /// The index of event ids by stream: a table that a store has from the first
  /// ``StoreOptions/Idempotency/always`` on.
  package static let ids = TableDefinition("ids", integerKeys: false)

  /// The journal of small commits: a table that each generation has which this library made.
  package static let journal = TableDefinition("journal", integerKeys: false)

  /// The newest entry of each tag: a table that a store has from its first tagged event on.
  package static let tags = TableDefinition("tags", integerKeys: false)

  /// The tables that a store need not have.
  package static let later = [inline, ids, journal, tags]

  /// Names reserved for later features. No store has such a table today.
  package static let reserved = ["contexts", "folds", "tagheads", "moved"]

  package init(_ environment: Environment) {
    entries = environment.table("entries")
    streams = environment.table("streams")
    heads = environment.table("heads")
    schemas = environment.table("schemas")
    kinds = environment.table("kinds")
    census = environment.table("census")
    meta = environment.table("meta")
  }
}

extension Generation {
  /// The table for rows of inline projections, if the file has it and it is open.
  package var inline: Table? { environment.later(StoreTables.inline.name) }

  /// Opens the table for rows of inline projections, if the file has it. Another process may have created it.
  package func openInline() throws(AnnalsError) {
    _ = try storage { () throws(EnvironmentError) in try environment.open(later: StoreTables.inline) }
  }
}

extension AnnalsError {
  /// The error for a file with an inline projection in force that has no table for its rows.
  package static var missingInline: AnnalsError {
    AnnalsError(
      .damaged, "table 'inline' is missing; run 'annals verify'",
      details: Details { $0.table = StoreTables.inline.name })
  }
}

extension EnvironmentOptions {
  /// The options for a generation's file.
  package init(generation access: EnvironmentOptions.Access = .readWrite, create: Bool = false) {
    self.init(access: access, create: create)
    laterTables = StoreTables.later
  }
}
