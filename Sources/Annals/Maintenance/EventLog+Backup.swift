public import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventLog {
  /// Makes a backup at `destination`, a store of its own, while others go on writing.
  ///
  /// The backup is of one state of the log: everything that was acknowledged before this was called, and whole append calls of what came since. It has the
  /// generation in use alone, with its number and the log's id, and none of the pages that nothing uses; during a migration pass it is of what is in use until
  /// then. It is live: what holds a store until a pass is accepted is not copied, for a backup has nothing to be rolled back to. Every page, entry and row of it is
  /// checked before it gets its name, so that a damaged store cannot be backed up. Where the file may be damaged or not be one's own, open it with trust `.nobody`, so
  /// that its pages are checked before they are copied.
  ///
  /// - Parameters:
  ///   - destination: Where the backup will be; nothing may be there, and the directory above must exist.
  ///   - progress: Told now and then how many entries of the copy have been checked.
  /// - Returns: What the backup has.
  /// - Throws: ``AnnalsError`` with code `cannotCreate` where something is at `destination`, `diskFull` before anything is copied where the disk is known to have too
  ///   little room, and later where it ends; `damaged` with the position or table of what is damaged in the store; `busy` where a migration pass has just ended.
  ///   Nothing is left behind then.
  /// - Complexity: O(entries). It blocks the thread and needs flat memory; pages that writers replace are not used again before it ends.
  @discardableResult
  public func backup(
    to destination: URL, progress: (Progress) -> Void = { _ in }
  ) throws(AnnalsError) -> CopyReport {
    // A snapshot is of the generation in use, whose lease it keeps as long as this value is here.
    let (generation, used) = try read { (snapshot) throws(AnnalsError) -> (Generation, Int) in
      (
        snapshot.generation,
        try storage { () throws(EnvironmentError) in try snapshot.transaction.pageUse().used }
      )
    }
    let copy = StoreCopy(
      destination: try StorePlace(destination), current: generation.current,
      size: used * generation.environment.pageSize, arrived: generation.arrived, isBranch: false)
    return try copy.run(progress) { (file) throws(AnnalsError) in
      do throws(EnvironmentError) { try generation.environment.copy(to: file) } catch {
        throw AnnalsError(error)
      }
    }
  }

  /// Makes a store at `destination` out of a backup, or of any store that nobody may be writing to for long.
  ///
  /// The bytes of `source` are trusted with nothing: they are copied to the new place first, and there every page, entry and row is checked before anything is
  /// used and before the new store gets its name. The new store is another incarnation of the log, which branches off behind its last position: who kept a place in
  /// the log can tell that entries behind it may be others. It is live, as a backup is. No byte of `source` changes.
  ///
  /// - Parameters:
  ///   - source: The backup.
  ///   - destination: Where the store will be; nothing may be there, and the directory above must exist.
  ///   - progress: Told now and then how many entries of the copy have been checked.
  /// - Returns: What the new store has.
  /// - Throws: ``AnnalsError`` with code `noSuchStore`, `notAStore`, `incomplete`, `foreign` or `damaged` for what is at `source`, `busy` where `source` takes appends too fast to be copied, or where a switch to another generation was cut short there, which
  ///   one open of it finishes; otherwise as
  ///   ``backup(to:progress:)``. Nothing is left behind then.
  /// - Complexity: O(bytes). It blocks the thread and needs flat memory. Writers of `source` do not wait.
  @discardableResult
  public static func restore(
    _ source: URL, to destination: URL, progress: (Progress) -> Void = { _ in }
  ) throws(AnnalsError) -> CopyReport {
    let directory = try StorePlace(source).open(StoreOptions(access: .readOnly, creation: .never))
    let opening = StoreOpening(directory: directory, options: StoreOptions(access: .readOnly))
    let current = try opening.readCurrent()
    let file = try files { () throws(StoreFileError) in try directory.open(current.fileName, .read) }
    let size = try files { () throws(StoreFileError) in try file.status().size }
    let copy = StoreCopy(
      destination: try StorePlace(destination), current: current, size: size, arrived: nil, isBranch: true)
    return try copy.run(progress) { (target) throws(AnnalsError) in
      try copyUndisturbed(file, to: target)
    }
  }

  /// How often a copy is repeated that commits have disturbed.
  private static var copies: Int { 5 }

  /// Copies a file that others may write to, and keeps none of them waiting.
  ///
  /// - Throws: `busy` where so many commits came during each copy that a page of it may have been used again.
  private static func copyUndisturbed(
    _ source: borrowing File, to target: borrowing File
  ) throws(AnnalsError) {
    for _ in 0..<copies {
      let before = newestTransaction(of: source)
      try files { () throws(StoreFileError) in
        try target.truncate(to: 0)
        try target.copy(from: source)
      }
      // Of a file without a commit that can be read, the check of the copy tells what is wrong.
      guard let before, let after = newestTransaction(of: source), after > before + 1 else { return }
    }
    throw AnnalsError(
      .busy,
      "the store to be copied takes appends faster than it can be read; make a backup of it, and restore that"
    )
  }

  private static func newestTransaction(of file: borrowing File) -> UInt64? {
    do throws(StoreFileError) { return try PageCheck.newestTransaction(of: file) } catch { return nil }
  }
}

extension EventStore {
  /// Makes a backup at `destination`, a store of its own, while others go on writing: see ``EventLog/backup(to:progress:)``.
  @discardableResult
  public func backup(
    to destination: URL, progress: (EventLog.Progress) -> Void = { _ in }
  ) throws(AnnalsError) -> CopyReport {
    try log.backup(to: destination, progress: progress)
  }
}
