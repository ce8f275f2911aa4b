public import AnnalsCoding
internal import LMDB

/// What a fold has read and changed of a projection's rows and what is not stored yet.
///
/// It is used by one thread. What is stored stays as a cache, until ``forget()``.
@usableFromInline final class RowStaging {
  /// The most bytes that a key may have, and a secondary key with the key of its row.
  static let keyLimit = 500

  let outline: ProjectionOutline
  /// By table, its rows.
  @usableFromInline let tables: [StagedRows]
  /// The entries of all secondary keys.
  var keys = StagedKeys()
  /// Why a stored row could not be read; a fold that goes on all the same has taken it for missing.
  var failure: AnnalsError?

  init(_ outline: ProjectionOutline, _ tables: [ProjectionTable]) {
    self.outline = outline
    self.tables = zip(tables, outline.spaces).map { $0.staging($0.outline, $1) }
  }

  /// How many rows are held.
  var count: Int { tables.reduce(0) { $0 + $1.keys.count } }

  /// About how many bytes are held.
  var size: Int { tables.reduce(keys.keys.size) { $0 + $1.size + $1.keys.size } }

  /// About how many bytes are to be stored.
  var changedSize: Int { tables.reduce(keys.keys.size) { $0 + $1.changed.count * 128 } }

  /// Whether anything was changed.
  var hasChanges: Bool { tables.contains { !$0.changed.isEmpty } || keys.keys.count > 0 }

  /// The table of a row type.
  @inlinable func table<R: ProjectionRow>(of type: R.Type) throws(AnnalsError) -> StagedTable<R> {
    for table in tables {
      if let table = table as? StagedTable<R> { return table }
    }
    throw missing(type)
  }

  /// What is thrown for a type that is no table of the projection.
  @usableFromInline func missing(_ type: Any.Type) -> AnnalsError {
    AnnalsError(
      .wrongUse, "the projection '\(outline.name)' has no table of \(type): name it in 'tables'")
  }

  /// Notes which entry makes the changes that follow; 0 for none.
  func enter(_ position: UInt64) {
    for table in tables { table.numbers.position = position }
  }

  /// Throws where a changed row has no encoding, before anything is put.
  func check() throws(AnnalsError) {
    for table in tables where !table.changed.isEmpty { try table.check() }
  }

  /// Puts and removes everything that was changed.
  ///
  /// - Throws: Besides what the file throws, why a stored row could not be read, whatever became of that.
  func flush(into transaction: inout WriteTransaction, _ table: Table) throws(AnnalsError) {
    if let failure { throw failure }
    for rows in tables { try rows.flush(into: &transaction, table) }
    try keys.flush(into: &transaction, table)
  }

  /// Takes what was changed as stored, and keeps the rows for later reads.
  func settle() {
    for table in tables { table.settle() }
    keys.forget()
  }

  /// Forgets everything: what was not stored, and what somebody else may have changed.
  func forget() {
    for table in tables { table.forget() }
    keys.forget()
    failure = nil
  }
}
