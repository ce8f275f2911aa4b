public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import AnnalsAttachments
internal import AnnalsMigration
internal import AnnalsProjections
internal import AnnalsVerify
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The result of a removal of generations.
public struct DiscardReport: Hashable, Sendable {
  /// The generation in use, which stays.
  public let inUse: UInt64
  /// The generations that were removed.
  public let discarded: [UInt64]
  /// The total size of their files in bytes.
  public let bytes: Int
  /// The files that look like generations and were left alone, with the reason.
  public let kept: [Kept]
  /// The projections whose former rows were removed, or the name of the file if it did not name its
  /// projection.
  public let views: [String]

  /// A file that was left alone.
  public struct Kept: Hashable, Sendable {
    /// The file's name.
    public let file: String
    /// Why it was left alone.
    public let reason: String
  }
}

extension EventLog {
  /// Removes the generations that are not in use: the sources of migration passes, and generations that were
  /// rolled back.
  ///
  /// Afterwards no rollback is possible. The removal never touches an entry of the generation in use, the
  /// target of an unfinished pass, a file of another log, or an unreadable one.
  ///
  /// It also removes the rows of views that were withdrawn because of an erasure, unless a program has them
  /// open. The next program that opens such a view builds it from the log. A projection that removes erased
  /// events from its rows itself is no longer called: open the store with it first.
  ///
  /// After a rollback the generation in use is verified first, because the one that was rolled back may be
  /// the only sound one.
  ///
  /// - Parameter url: The store's directory.
  /// - Returns: The removed generations, and the files left alone.
  /// - Throws: ``AnnalsError`` with code `appendsSuspended` before the switch is accepted; `damaged` if the
  ///   generation in use is damaged after a rollback; `busy` if a pass runs, or if a process still reads from
  ///   one of the generations, or has neither read nor appended since the pass; and as
  ///   ``init(at:options:)``. In that case nothing is removed. If only former rows of views or unused
  ///   contents of attachments cannot be removed, it throws after the removal; a repeated call removes them.
  /// - Complexity: O(generations), and the removal of the files. After a rollback, as
  ///   ``verify(_:progress:)``.
  public static func discardPrevious(_ url: URL) throws(AnnalsError) -> DiscardReport {
    let change = try GenerationChange(url, StoreOptions())
    // Readers and writers of this process move to the generation in use now, and not at their next look.
    let core = try LogCore.opened(in: change.opening.directory)
    _ = try core?.newest()
    return try change.discardPrevious(
      { core?.place.isLettingGo ?? false }, afterRollback: { () throws(AnnalsError) in try mustBeSound(url) })
  }

  /// Throws `.damaged` if the log of the generation in use is.
  private static func mustBeSound(_ url: URL) throws(AnnalsError) {
    let report = try verify(url)
    guard let first = report.findings.first(where: { $0.repair != .rebuild }) else { return }
    throw AnnalsError(
      .damaged,
      "the generation in use has \(report.count) findings, the first at \(first.place): \(first.problem); the one that was rolled back may be the only sound one, so nothing was removed: restore the store from a backup, or repair it",
      details: AnnalsError.Details { $0.position = first.position })
  }
}

extension GenerationChange {
  /// Removes the generations that are not in use.
  ///
  /// - Parameters:
  ///   - isLettingGo: Whether threads of this process are about to release one of them, and are to be waited
  ///     for.
  ///   - mustBeSound: Throws if the generation in use is damaged. Called before one that was rolled back is
  ///     removed.
  consuming func discardPrevious(
    _ isLettingGo: () -> Bool, afterRollback mustBeSound: () throws(AnnalsError) -> Void
  ) throws(AnnalsError) -> DiscardReport {
    try mustBeLive()
    let directory = opening.directory
    // A rename by another process may not be on disk yet; without it, CURRENT would name a removed generation
    // after a crash.
    try files { () throws(StoreFileError) in
      try directory.removeUnfinishedReplacements()
      try directory.synchronize()
    }
    var removal = GenerationRemoval(directory: directory, opening: opening)
    try removal.collect(except: inUse)
    if removal.numbers.contains(where: { $0 > inUse.number }) { try mustBeSound() }
    // Before 'open.lock': a thread that releases a generation needs that lock to close it.
    try removal.waitForLeases(isLettingGo)
    let open = try files { () throws(StoreFileError) in try opening.lockFile("open.lock") }
    // Nobody opens a generation meanwhile; this thread neither opens nor closes one.
    let hold = try files { () throws(StoreFileError) in try open.lock(.exclusive) }
    try withExtendedLifetime(inUse) { () throws(AnnalsError) in
      let leases = try removal.takeLeases()
      try forgetPredecessor(removal.numbers)
      try removal.run()
      _ = consume leases
    }
    _ = consume hold
    let views = try ViewDirectory.removeWithdrawn(in: directory)
    // Contents that only removed generations referred to.
    _ = try BlobSweep(inUse, grace: MigrationOptions().attachmentGrace).run()
    return DiscardReport(
      inUse: inUse.number, discarded: removal.numbers, bytes: removal.bytes, kept: removal.kept,
      views: views.map { $0.name ?? ViewFile.stem($0.number) })
  }

  private func mustBeLive() throws(AnnalsError) {
    let state = try inUse.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try StoreReader(transaction.view, inUse.tables).state()
    }
    guard state != .appendsSuspended else {
      throw AnnalsError(
        .appendsSuspended,
        "the last switch is neither accepted nor rolled back; accept it first; nothing was removed")
    }
  }

  /// Records in the generation in use that there is no predecessor, so that no rollback searches for it, and
  /// that these numbers are used up.
  ///
  /// The commit also makes sure that the generation's rows are on disk.
  private func forgetPredecessor(_ numbers: [UInt64]) throws(AnnalsError) {
    try write(in: inUse) { (transaction) throws(AnnalsError) in
      guard try self.meta(in: transaction).state == .live else {
        throw AnnalsError(
          .appendsSuspended, "the last switch is neither accepted nor rolled back; nothing was removed")
      }
      let newest = try StoreReader(transaction.view, inUse.tables).newestGeneration()
      let removed = numbers.max() ?? 0
      // One that was rolled back from had a number that the generation in use need not know.
      if removed > newest {
        try transaction.put(NewestRow(generation: removed).encoded(), NewestRow.name, in: inUse.tables.meta)
      }
      let hadPredecessor = try StoreReader(transaction.view, inUse.tables).predecessor() != nil
      try transaction.remove(PredecessorRow.name, in: inUse.tables.meta)
      return hadPredecessor || removed > newest
    }
  }
}
