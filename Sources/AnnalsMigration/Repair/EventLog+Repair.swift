internal import AnnalsProjections
public import AnnalsCoding
public import AnnalsLog
internal import AnnalsStore
internal import AnnalsVerify
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventLog {
  /// Repairs a store that has lost single entries, or rows that are derived from the log.
  ///
  /// An entry whose bytes are damaged or missing is lost. Every other entry is unchanged, with its position
  /// and revision.
  ///
  /// The repair makes a new generation, as a migration pass does. A stub with the reason replaces each lost
  /// entry, and `streams`, `heads`, `census` and `checkpoint` are rebuilt from the log. Both generations are
  /// compared byte by byte, and the new one is verified before it is used. The old one is kept unchanged:
  /// ``rollback(_:)`` returns to it, and ``discardPrevious(_:)`` removes it. Reads and appends continue
  /// meanwhile, as far as the damage allows. A sound store is unchanged.
  ///
  /// The stream of a lost entry is known from links of later entries and from the rows of `streams` and
  /// `heads`. If none of them leads to it, it was the newest entry of some stream. The stub is then the first
  /// entry of a stream of its own. The next entry of its unknown stream gets the revision that was lost.
  ///
  /// A checkpoint exactly at a lost entry no longer agrees with the log, because the time and id of the entry
  /// are also lost: a subscription from there throws `checkpointMismatch`, and its consumer must begin after
  /// the position instead.
  ///
  /// - Parameters:
  ///   - url: The store's directory.
  ///   - isDryRun: Whether to only search for losses, without changes.
  ///   - progress: Called now and then with the number of verified entries.
  /// - Returns: The losses, and the changes.
  /// - Throws: ``AnnalsError`` with code `damaged` if pages of the file, or rows of `meta`, `schemas` or
  ///   `kinds`, are damaged, or if more than 10,000 entries are lost: that requires a backup. `verifyFailed`
  ///   if the new generation is not sound; `busy`, `appendsSuspended`, `diskFull`, and as
  ///   ``init(at:options:)``. In that case the store is unchanged. Entries that an unfinished migration pass
  ///   has copied are discarded.
  /// - Complexity: O(log), five times at most; memory of some bytes for each lost entry.
  public static func repair(
    _ url: URL, isDryRun: Bool = false, progress: (Progress) -> Void = { _ in }
  ) throws(AnnalsError) -> RepairReport {
    let pages = try StorePages.check(storeAt: url)
    if let first = pages.findings.first {
      throw AnnalsError(
        .damaged,
        "the log's file has \(pages.findingCount) damaged pages, the first in \(first); a repair mends single entries only: restore the store from a backup",
        details: AnnalsError.Details { $0.offset = Int(clamping: first.offset) })
    }
    let options = StoreOptions(access: isDryRun ? .readOnly : .readWrite, creation: .never)
    let log = try EventLog(at: url, options: options)
    let source = try log.core.place.newest()
    try source.environment.openIndexes()
    let (found, patch) = try source.read {
      (reader) throws(AnnalsError) -> (RepairReport, EntryPatch?) in
      let verified = try reader.verify(try reader.kinds(), in: source.environment, progress) {
        (tables, end) throws(AnnalsError) in try tables.checkInline(source.inline, end)
      }
      var scan = try RepairScan(reader)
      if !verified.isClean { try scan.run() }
      let report = RepairReport(
        generation: source.number, predecessor: source.number, entries: try scan.entries(),
        rebuilt: verified.findings.filter { $0.repair == .rebuild })
      guard !verified.isClean else { return (report, nil) }
      if !report.isNeeded, let first = verified.findings.first {
        throw AnnalsError(
          .damaged,
          "\(first.place): \(first.problem); this cannot be repaired: \(first.repair.rawValue)",
          details: AnnalsError.Details { $0.position = first.position })
      }
      return (report, try scan.patch(generation: source.number))
    }
    guard let patch, !isDryRun else { return found }
    var pass = MigrationOptions()
    // The copy of another pass has no stubs.
    pass.unfinished = .discard
    let work = PassWork.repair(patch)
    let done = try PassRunner(
      log: log, work: work, options: pass, control: PassControl(),
      archive: ArchiveRequest(nil, mark: work.mark)
    ).run()
    var report = found
    report.isDone = done.isDone
    report.generation = done.generation
    return report
  }
}
