public import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a removal of generations has done.
public struct DiscardReport: Hashable, Sendable {
  /// The generation in use, which stays.
  public let inUse: UInt64
  /// The generations that were removed.
  public let discarded: [UInt64]
  /// How many bytes their files had.
  public let bytes: Int
  /// The files that look like generations and were left alone, with the reason.
  public let kept: [Kept]

  /// A file that was left alone.
  public struct Kept: Hashable, Sendable {
    /// The file's name.
    public let file: String
    /// Why it was left alone.
    public let reason: String
  }
}

extension EventLog {
  /// Removes the generations that are not in use: what migration passes have copied, and what was rolled back.
  ///
  /// Afterwards there is nothing to go back to. No entry of the generation in use is touched, nor is what an unfinished pass is building, nor a file of another
  /// log or one that cannot be read.
  ///
  /// - Parameter url: The store's directory.
  /// - Returns: What was removed, and what was left alone.
  /// - Throws: ``AnnalsError`` with code `held` before the switch is accepted; `busy` where a pass runs, or where somebody still reads from one of the
  ///   generations; and as ``init(at:options:)``. Nothing is removed then.
  /// - Complexity: O(generations), and the removal of the files.
  public static func discardPrevious(_ url: URL) throws(AnnalsError) -> DiscardReport {
    let change = try GenerationChange(url, StoreOptions())
    // Those of this process go on to the generation in use now, and not when they next look.
    let core = try LogCore.opened(in: change.opening.directory)
    _ = try core?.newest()
    return try change.discardPrevious { core?.place.isLettingGo ?? false }
  }
}

extension GenerationChange {
  /// Removes the generations that are not in use.
  ///
  /// - Parameter isLettingGo: Whether threads of this process are about to let go of one of them, and are to be waited for.
  consuming func discardPrevious(
    _ isLettingGo: () -> Bool = { false }
  ) throws(AnnalsError) -> DiscardReport {
    try mustBeLive()
    let directory = opening.directory
    // A rename that another process did may not be on the disk yet; without it CURRENT would come to name what is gone.
    try files { () throws(StoreFileError) in
      try directory.removeUnfinishedReplacements()
      try directory.synchronize()
    }
    var removal = GenerationRemoval(directory: directory, opening: opening)
    try removal.collect(beside: inUse)
    // Before 'open.lock': a thread that lets go of a generation needs that lock to close it.
    try removal.waitForLeases(isLettingGo)
    let open = try files { () throws(StoreFileError) in try opening.lockFile("open.lock") }
    // Nobody opens a generation meanwhile; this thread neither opens nor closes one as long.
    let hold = try files { () throws(StoreFileError) in try open.lock(.exclusive) }
    try withExtendedLifetime(inUse) { () throws(AnnalsError) in
      let leases = try removal.takeLeases()
      try forgetPredecessor(removal.numbers)
      try removal.run()
      _ = consume leases
    }
    _ = consume hold
    return DiscardReport(
      inUse: inUse.number, discarded: removal.numbers, bytes: removal.bytes, kept: removal.kept)
  }

  private func mustBeLive() throws(AnnalsError) {
    let state = try inUse.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try StoreReader(transaction.view, inUse.tables).state()
    }
    guard state != .held else {
      throw AnnalsError(
        .held,
        "the last switch is neither accepted nor rolled back; accept it first; nothing was removed")
    }
  }

  /// Notes in the generation in use that there is nothing to go back to, so that no rollback looks for it, and that these numbers are used up.
  ///
  /// The commit also makes sure that the disk has all that the generation says of itself.
  private func forgetPredecessor(_ numbers: [UInt64]) throws(AnnalsError) {
    try write(in: inUse) { (transaction) throws(AnnalsError) in
      guard try self.meta(in: transaction).state == .live else {
        throw AnnalsError(.held, "the last switch is neither accepted nor rolled back; nothing was removed")
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
