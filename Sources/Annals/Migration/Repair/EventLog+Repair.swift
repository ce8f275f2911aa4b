public import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventLog {
  /// Makes a store whole again that has lost single entries, or rows that follow from the log.
  ///
  /// An entry whose bytes are damaged, or that is missing, is lost; every other one stays as it is, with its position and revision. A new generation is made, as
  /// by a migration pass: a stub that says why stands in the place of each lost entry, and `streams`, `heads`, `census` and `checkpoint` are made anew from
  /// the log. Both generations are compared byte by byte and the new one is verified before it is used. The old one is kept with every byte as it was:
  /// ``rollback(_:)`` goes back to it, and ``discardPrevious(_:)`` removes it. Reads and appends go on meanwhile, as far as the damage lets them. A store that is
  /// sound stays as it is.
  ///
  /// Which stream a lost entry was of is known from links of later entries and from the rows of `streams` and `heads`. Where none of them leads to it, it
  /// was the newest entry of some stream: the stub is then the first entry of a stream of its own, and the next entry of its own stream, which nobody knows, gets
  /// the revision that was lost.
  ///
  /// - Parameters:
  ///   - url: The store's directory.
  ///   - isDryRun: Whether it is only looked for what is lost; nothing is changed then.
  ///   - progress: Is told now and then how many entries are verified.
  /// - Returns: What was lost, and what was done.
  /// - Throws: ``AnnalsError`` with code `damaged` where pages of the file, or rows of `meta`, `schemas` or `kinds`, are damaged, or where more than 10,000
  ///   entries are lost: that takes a backup. `verifyFailed` where the new generation is not sound; `busy`, `held`, `diskFull`, and as ``init(at:options:)``. The
  ///   store is as it was then. What an unfinished migration pass has copied is thrown away.
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
    try source.environment.openIDs()
    let (found, patch) = try source.read {
      (reader) throws(AnnalsError) -> (RepairReport, EntryPatch?) in
      let verified = try reader.verify(try reader.kinds(), ids: source.environment.ids, progress)
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
    // What another pass has copied has no stubs.
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
