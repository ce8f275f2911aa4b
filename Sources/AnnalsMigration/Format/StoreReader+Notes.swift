package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import LMDB

extension StoreReader {
  /// Returns the rows of `meta` that change without an entry and without an activation, by their names: those
  /// of backups, and the note of an erasure that is not complete.
  ///
  /// Nothing else shows that a generation has others than the one before it, so each switch and each rollback
  /// takes them over as they are then.
  package func notes() throws(AnnalsError) -> [String: [UInt8]] {
    var names = [ErasingRow.name]
    for prefix in [BackupRow.prefix, BackupRow.generationPrefix] {
      try eachMetaName(beginningWith: prefix) { names.append($0) }
    }
    var notes: [String: [UInt8]] = [:]
    for name in names {
      notes[name] = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
    }
    return notes
  }
}

extension WriteTransaction {
  /// Makes the notes of a generation those of another one.
  ///
  /// - Returns: Whether anything had to be changed.
  package mutating func put(
    notes: [String: [UInt8]], _ tables: StoreTables
  ) throws(AnnalsError) -> Bool {
    let old = try StoreReader(view, tables).notes()
    guard notes != old else { return false }
    for name in old.keys where notes[name] == nil { try remove(name, in: tables.meta) }
    for (name, value) in notes where old[name] != value { try put(value, name, in: tables.meta) }
    return true
  }
}
