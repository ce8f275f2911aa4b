package import AnnalsCoding
package import AnnalsLog
internal import LMDB

extension StoreReader {
  /// The pass that copies this generation, or has built it up to some position; `nil` if none is unfinished.
  package func pass() throws(AnnalsError) -> PassRow? {
    try row(PassRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in try PassRow(bytes) }
  }

  /// Returns the tally of the pass that builds or has built this generation; an empty one if an older library
  /// has built it up to here.
  package func passTally() throws(AnnalsError) -> PassTallyRow {
    let known = try row(PassTallyRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PassTallyRow(bytes)
    }
    var tally = known ?? PassTallyRow()
    _ = try row(PassFieldsRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PassFieldsRow.read(bytes, into: &tally.changes.removed)
    }
    tally.changes.retagged = try passTags()?.entries ?? 0
    return tally
  }

  /// Whether the pass that has built this generation may have changed an entry otherwise than by removing a
  /// hidden event; `true` also if an older library has built it.
  package func passHasRewritten() throws(AnnalsError) -> Bool {
    let tally = try row(PassTallyRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PassTallyRow(bytes)
    }
    guard let tally else { return true }
    return tally.changes.rewritten > 0 || tally.moved > 0
  }

  /// The tags that the pass which builds or has built this generation has changed; `nil` if it has changed
  /// none.
  package func passTags() throws(AnnalsError) -> PassTagsRow? {
    try row(PassTagsRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in try PassTagsRow(bytes) }
  }

  /// The archive of the pass that copies this generation, or that builds it or has built it; `nil` if it has
  /// none.
  package func passArchive() throws(AnnalsError) -> PassArchiveRow? {
    try row(PassArchiveRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PassArchiveRow(bytes)
    }
  }
}
