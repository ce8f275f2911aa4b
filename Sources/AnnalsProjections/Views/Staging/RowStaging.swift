internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding
internal import LMDB

/// The rows of a projection that a fold has read, and its changes that are not stored yet.
///
/// It is used by one thread. Stored rows stay as a cache until ``forget()``.
@usableFromInline final class RowStaging {
  /// The maximum size of a key in bytes, and of a secondary key together with the key of its row.
  static let keyLimit = 500

  let outline: ProjectionOutline
  /// The rows of each table.
  @usableFromInline let tables: [StagedRows]
  /// The entries of all secondary keys.
  var keys = StagedKeys()
  /// The error of reading a stored row. A fold that ignored it has taken the row for missing.
  var failure: AnnalsError?

  init(_ outline: ProjectionOutline, _ tables: [ProjectionTable]) {
    self.outline = outline
    self.tables = zip(tables, outline.spaces).map { $0.staging($0.outline, $1) }
  }

  /// The number of rows held.
  var count: Int { tables.reduce(0) { $0 + $1.keys.count } }

  /// The approximate number of bytes of memory that it takes.
  var memory: Int { tables.reduce(keys.memory) { $0 + $1.memory } }

  /// The approximate number of bytes to be stored.
  var changedSize: Int { tables.reduce(keys.keys.size) { $0 + $1.changedSize } }

  /// Learns the size of changed rows from the last ones, and returns ``memory``.
  func measured() -> Int {
    for table in tables { table.sampleChange() }
    return memory
  }

  /// Whether anything was changed.
  var hasChanges: Bool { tables.contains { !$0.changed.isEmpty } || keys.keys.count > 0 }

  /// Returns the table of a row type.
  @inlinable func table<R: ProjectionRow>(of type: R.Type) throws(AnnalsError) -> StagedTable<R> {
    for table in tables {
      if let table = table as? StagedTable<R> { return table }
    }
    throw missing(type)
  }

  /// Creates the error for a type that is not a table of the projection.
  @usableFromInline func missing(_ type: Any.Type) -> AnnalsError {
    AnnalsError(
      .wrongUse, "the projection '\(outline.name)' has no table of \(type): name it in 'tables'")
  }

  /// Records the entry that makes the changes that follow; 0 for none.
  func enter(_ position: UInt64) {
    for table in tables { table.numbers.position = position }
  }

  /// Throws if a changed row cannot be encoded. Call it before anything is put.
  func check() throws(AnnalsError) {
    for table in tables where !table.changed.isEmpty { try table.check() }
  }

  /// Puts and removes all changed rows.
  ///
  /// - Throws: The errors of the file, and the error of reading a stored row even if the fold ignored it.
  func flush(into transaction: inout WriteTransaction, _ table: Table) throws(AnnalsError) {
    if let failure { throw failure }
    guard hasChanges else { return }
    for rows in tables { try rows.flush(into: &transaction, table) }
    try keys.flush(into: &transaction, table)
  }

  /// Marks the changes as stored, and keeps the rows for later reads.
  func settle() {
    guard hasChanges else { return }
    for table in tables { table.settle() }
    keys.forget()
  }

  /// Discards everything: changes not stored, and rows that other programs may have changed.
  func forget() {
    for table in tables { table.forget() }
    keys.forget()
    failure = nil
  }
}
