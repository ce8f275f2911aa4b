internal import AnnalsAttachments
public import AnnalsCoding
public import AnnalsLog
internal import AnnalsProjections
public import AnnalsVerify
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventLog {
  /// Checks every invariant of docs/format.md: first the pages of the log's file, without LMDB, then every
  /// entry's checksum, links and payload, then the tables derived from the log, and the files of views,
  /// consumers, snapshots and keys.
  ///
  /// The store is opened read-only and nothing in it is changed. Others can append and erase meanwhile.
  /// A file with damaged pages is not read any further, because LMDB would trust it.
  ///
  /// - Parameters:
  ///   - url: The store's directory.
  ///   - progress: Called now and then with the number of entries that are done.
  /// - Returns: The findings, which are not thrown as errors.
  /// - Throws: As ``init(at:options:)``, if the store cannot be opened at all.
  /// - Complexity: O(size of the file), with memory of two bits for each page, some bytes for each stream of
  ///   the tail, and up to 40 MiB for the scan's memory of streams. In a log of up to 262,144 streams no link
  ///   is looked up.
  public static func verify(
    _ url: URL, progress: (Progress) -> Void = { _ in }
  ) throws(AnnalsError) -> VerifyReport {
    let pages = try StorePages.check(storeAt: url)
    var report = VerifyReport()
    for finding in pages.findings {
      report.add(Finding(place: "file page \(finding.page)", problem: finding.description, repair: .restore))
    }
    report.add(unlisted: pages.findingCount - pages.findings.count)
    guard pages.isClean else {
      report.isComplete = false
      return report
    }
    let log: EventLog
    do {
      log = try EventLog(at: url, options: StoreOptions(access: .readOnly, creation: .never))
    } catch  where error.code == .damaged && error.details.table != nil {
      // Without these rows nothing else can be read.
      report.add(error, place: "the store")
      report.isComplete = false
      return report
    }
    try log.core.generation.environment.openIndexes()
    do throws(AnnalsError) {
      try log.read { (snapshot) throws(AnnalsError) in report = try snapshot.verify(progress) }
    } catch {
      // An entry at a position that none has: where the log ends is not known.
      guard error.code == .damaged, error.details.table == "entries" else { throw error }
      report.add(error, place: "the store")
      report.isComplete = false
      return report
    }
    try AttachmentCheck(log).run(&report)
    for file in FileNextToLog.all { try file.check(in: log.core.generation.directory, &report) }
    var views = ViewCheck(log.core, report)
    try views.run()
    return views.report
  }
}

extension LogSnapshot {
  /// Checks everything that the snapshot has.
  func verify(_ progress: (EventLog.Progress) -> Void) throws(AnnalsError) -> VerifyReport {
    let inline = generation.inline
    return try reader.verify(kinds, in: generation.environment, progress) {
      (tables, end) throws(AnnalsError) in try tables.checkInline(inline, end)
    }
  }
}
