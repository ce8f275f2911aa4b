public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
public import AnnalsStore
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventLog {
  /// Makes a backup at `destination`, a complete store, while others continue to write.
  ///
  /// The backup shows one state of the log: every entry acknowledged before this call, and later entries only
  /// as whole append calls. It has only the generation in use, with its number and the log's id, and no
  /// unused pages. During a migration pass, it has the generation that is in use until the switch.
  ///
  /// A store that is open for writing records the backup before it is made, so that ``erasures()`` can say
  /// that bytes may still be in it. If the process is killed meanwhile, the record stays. The backup may then
  /// be complete, or a part of it may be in a directory next to its place, which the next backup there
  /// removes.
  ///
  /// If events are erased meanwhile, and a pass removes the contents of their attachments, the backup is
  /// made again, of the later state.
  ///
  /// The backup is live. If the store is held until a pass is accepted, the hold is not copied, because a
  /// backup has nothing to roll back to.
  ///
  /// Every page, entry and row of the backup is checked before it gets its name, so a damaged store cannot be
  /// backed up. If the file may be damaged or foreign, open it with trust `.nobody`, so that its pages are
  /// checked before they are copied.
  ///
  /// - Parameters:
  ///   - destination: The place of the backup. Nothing may exist there, and the parent directory must exist.
  ///   - progress: Called now and then with the number of entries of the copy that have been checked.
  /// - Returns: The contents of the backup.
  /// - Throws: ``AnnalsError`` with code `cannotCreate` if something is at `destination`; `diskFull` before
  ///   anything is copied if the disk is known to have too little space for the log, before the contents of
  ///   attachments are copied if it is for them, and later if it runs out; `damaged` with the damaged
  ///   position or table of the store; `missingAttachment` if the content of an attachment is lost; `busy` if
  ///   a migration pass has just ended, or if passes remove the contents of erased events again and again. In
  ///   that case no files remain.
  /// - Complexity: O(entries). It blocks the thread and needs constant memory. Pages that writers replace are
  ///   not reused before it ends.
  @discardableResult
  public func backup(
    to destination: URL, progress: (Progress) -> Void = { _ in }
  ) throws(AnnalsError) -> CopyReport {
    try StoreCopy.repeating { () throws(AnnalsError) in try backupOnce(to: destination, progress) }
  }

  private func backupOnce(
    to destination: URL, _ progress: (Progress) -> Void
  ) throws(AnnalsError) -> CopyReport {
    // A snapshot is of the generation in use, whose lease it keeps while this value lives.
    let (generation, used, last) = try read { (snapshot) throws(AnnalsError) -> (Generation, Int, UInt64) in
      (
        snapshot.generation,
        try storage { () throws(EnvironmentError) in try snapshot.transaction.pageUse().used },
        try snapshot.reader.last()
      )
    }
    let place = try StorePlace(destination)
    let row = try BackupRow(of: generation.number, last: last, at: destination)
    let copy = StoreCopy(
      destination: place, source: generation.directory, current: generation.current,
      size: used * generation.environment.pageSize, arrived: generation.arrived, isBranch: false, row: row)
    var unrecorded: String?
    var report: CopyReport
    do throws(AnnalsError) {
      report = try copy.run(progress) { (file) throws(AnnalsError) in
        // Before the first byte of it: a process that is killed may leave a whole backup, or a part of one.
        do throws(AnnalsError) { try record(row) } catch { unrecorded = error.message }
        do throws(EnvironmentError) { try generation.environment.copy(to: file) } catch {
          throw AnnalsError(error)
        }
      }
    } catch {
      let cause = error
      // A record that stays is listed until somebody says that there is no such backup.
      do throws(AnnalsError) { try removeRecord(row, of: place, after: cause) } catch {}
      throw cause
    }
    // Positions have no gaps, so the number of entries is the newest position.
    if unrecorded == nil, report.entries > last {
      var newer = row
      newer.last = report.entries
      // The row says less than the backup has, so that it is listed rather too often.
      do throws(AnnalsError) { try record(newer) } catch {}
    }
    report.backup = unrecorded == nil ? row.id : nil
    report.unrecorded = unrecorded
    return report
  }

  /// Makes a store at `destination` from a backup, or from any store without long-running writes.
  ///
  /// The bytes of `source` are not trusted. They are copied to the new place first. There, every page, entry
  /// and row is checked before anything is used and before the new store gets its name.
  ///
  /// The new store is another incarnation of the log, which branches off after its last position. A reader
  /// with a checkpoint can detect that later entries may differ. The store is live, like a backup. No byte of
  /// `source` changes.
  ///
  /// - Parameters:
  ///   - source: The backup.
  ///   - destination: The place of the store. Nothing may exist there, and the parent directory must exist.
  ///   - progress: Called now and then with the number of entries of the copy that have been checked.
  /// - Returns: The contents of the new store.
  /// - Throws: ``AnnalsError`` with code `noSuchStore`, `notAStore`, `incomplete`, `foreign` or `damaged` for
  ///   `source`; `busy` if `source` takes appends too fast to be copied, or if a switch to another generation
  ///   was interrupted there, which an open of it completes; otherwise as ``backup(to:progress:)``. In that
  ///   case no files remain.
  /// - Complexity: O(bytes). It blocks the thread and needs constant memory. Writers of `source` do not wait.
  @discardableResult
  public static func restore(
    _ source: URL, to destination: URL, progress: (Progress) -> Void = { _ in }
  ) throws(AnnalsError) -> CopyReport {
    try StoreCopy.repeating { () throws(AnnalsError) in try restoreOnce(source, to: destination, progress) }
  }

  private static func restoreOnce(
    _ source: URL, to destination: URL, _ progress: (Progress) -> Void
  ) throws(AnnalsError) -> CopyReport {
    let directory = try StorePlace(source).open(StoreOptions(access: .readOnly, creation: .never))
    let opening = StoreOpening(directory: directory, options: StoreOptions(access: .readOnly))
    let current = try opening.readCurrent()
    let file = try files { () throws(StoreFileError) in try directory.open(current.fileName, .read) }
    let size = try files { () throws(StoreFileError) in try file.status().size }
    let copy = StoreCopy(
      destination: try StorePlace(destination), source: directory, current: current, size: size, arrived: nil,
      isBranch: true, row: nil)
    return try copy.run(progress) { (target) throws(AnnalsError) in
      try copyUndisturbed(file, to: target)
    }
  }

  /// The maximum number of copies if commits disturb them.
  private static var copies: Int { 5 }

  /// Copies a file that others may write to, without making them wait.
  ///
  /// - Throws: `busy` if so many commits came during each copy that a page of it may have been reused.
  private static func copyUndisturbed(
    _ source: borrowing File, to target: borrowing File
  ) throws(AnnalsError) {
    for _ in 0..<copies {
      let before = newestTransaction(of: source)
      try files { () throws(StoreFileError) in
        try target.truncate(to: 0)
        try target.copy(from: source)
      }
      // Without a readable commit in the file, the check of the copy reports the problem.
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
  /// Makes a backup at `destination`, a complete store, while others continue to write. See
  /// ``EventLog/backup(to:progress:)``.
  @discardableResult
  public func backup(
    to destination: URL, progress: (EventLog.Progress) -> Void = { _ in }
  ) throws(AnnalsError) -> CopyReport {
    try log.backup(to: destination, progress: progress)
  }
}
