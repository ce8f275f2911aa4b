public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import AnnalsStore
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The backups that a store knows of, so that an erasure can say where bytes may still be.
extension EventLog {
  /// Records a backup.
  func record(_ row: BackupRow) throws(AnnalsError) {
    guard options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store is open for reading only")
    }
    _ = try ActivationWrite(self).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
      try transaction.put(row.encoded(), row.name, in: tables.meta)
      if let generation = row.generation {
        try transaction.put(
          GenerationRow.encoded(generation), row.generationName, in: tables.meta)
      }
      return true
    }
  }

  /// Removes the record of a backup that failed, unless the backup is there, whose name may not be durable,
  /// or a part of one, which has bytes too.
  func removeRecord(_ row: BackupRow, of place: StorePlace, after error: AnnalsError) throws(AnnalsError) {
    guard options.access == .readWrite else { return }
    if error.code != .cannotCreate, try place.isTaken() { return }
    if try place.hasLeftovers() { return }
    _ = try ActivationWrite(self).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
      for name in [row.name, row.generationName] { try transaction.remove(name, in: tables.meta) }
      return true
    }
  }

  /// Records that a backup was destroyed, so that ``erasures()`` no longer lists it.
  ///
  /// - Parameter id: The id that ``backup(to:progress:)`` returned.
  /// - Throws: ``AnnalsError`` with code `wrongUse` if the store has recorded no such backup, `readOnly`,
  ///   `busy`, `appendsSuspended`, `diskFull`, `damaged` or `inputOutput`.
  public func forgetBackup(_ id: UUID) throws(AnnalsError) {
    guard options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    _ = try ActivationWrite(self).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
      guard var row = try StoreReader(transaction.view, tables).backups().first(where: { $0.id == id }) else {
        throw AnnalsError(
          .wrongUse,
          "the store knows no backup \(id.uuidString.lowercased()); 'annals erasures' lists those that matter"
        )
      }
      row.isGone = true
      try transaction.put(row.encoded(), row.name, in: tables.meta)
      return true
    }
  }
}

extension BackupRow {
  /// A backup that is made now of a generation.
  init(of generation: UInt64, last: UInt64, at place: URL) throws(AnnalsError) {
    var path = FileName.text(try place.exactPath())
    // The one who destroys the backup works in another directory, years later.
    if !path.hasPrefix("/") { path = FileManager.default.currentDirectoryPath + "/" + path }
    self.init(id: UUID.random(), time: .now, last: last, place: path)
    self.generation = generation
  }
}
