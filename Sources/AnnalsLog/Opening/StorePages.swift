package import AnnalsCoding
package import AnnalsFormat
package import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Checks the pages of a store's file without LMDB, which trusts its file and ends the process if it is
/// damaged.
///
/// Others can write meanwhile. A few pages are read again after commits in between. A whole file is read
/// under a snapshot, whose pages no writer reuses.
package struct StorePages {
  /// The number of times that a read is repeated after commits have disturbed it.
  private static let tries = 100

  private let directory: Directory
  private let current: CurrentFile

  package init(_ directory: Directory, _ current: CurrentFile) {
    self.directory = directory
    self.current = current
  }

  /// Checks every reachable page of the generation in use of the store at `url`.
  ///
  /// For each earlier generation in the chain, the pages are checked before its successor is read.
  package static func check(storeAt url: URL) throws(AnnalsError) -> PageCheck.Report {
    let options = StoreOptions(access: .readOnly, creation: .never)
    let opening = StoreOpening(directory: try StorePlace(url).open(options), options: options)
    var current = try opening.readCurrent()
    var chain = GenerationChain(from: current.generation)
    while true {
      let (report, meta) = try StorePages(opening.directory, current).check(opening)
      guard let meta, report.isClean, case .follow(let next) = chain.step(meta.state, epoch: meta.epoch)
      else { return report }
      current.generation = next
      try opening.mustBeThere(current)
    }
  }

  /// Checks every page, and returns the generation's state; `nil` if it cannot be read.
  private func check(_ opening: StoreOpening) throws(AnnalsError) -> (PageCheck.Report, StoreMeta?) {
    // LMDB reads these tables when it opens the file.
    let small = try small()
    guard small.isClean else { return (try undisturbed() ?? small, nil) }
    do throws(AnnalsError) {
      guard let file = try opening.open(current.generation, of: current.log) else {
        return (try undisturbed() ?? small, nil)
      }
      return (try check(in: file.environment), file.meta)
    } catch {
      let report = try undisturbed() ?? small
      if !report.isClean || error.code == .damaged && error.details.table != nil { return (report, nil) }
      throw error
    }
  }

  /// Checks every page that can be reached from a file that nobody writes to.
  func check() throws(AnnalsError) -> PageCheck.Report {
    if let report = try undisturbed() { return report }
    throw busy
  }

  /// Checks every reachable page while others write. No page of a snapshot is reused before the snapshot
  /// ends.
  func check(in environment: Environment) throws(AnnalsError) -> PageCheck.Report {
    try environment.read(failure: AnnalsError.init) { (_) throws(AnnalsError) in
      let report = try run(nil)
      // A meta page that was read during its write is not damaged.
      return report.isClean ? report : try run(nil)
    }
  }

  /// Checks the pages of the small tables.
  private func small() throws(AnnalsError) -> PageCheck.Report {
    try settled(StoreTables.small)
  }

  /// Checks a few pages, again and again until no commits have disturbed that.
  private func settled(
    _ tables: [String], after: [String: UInt64] = [:]
  ) throws(AnnalsError) -> PageCheck.Report {
    for _ in 0..<Self.tries {
      if let report = try undisturbed(tables, after: after) { return report }
    }
    throw busy
  }

  /// Checks pages that commits may replace meanwhile.
  ///
  /// - Returns: `nil` if there were so many commits that a page may have been reused: pages that a commit
  ///   frees are available to the next commit but one.
  private func undisturbed(
    _ tables: [String]? = nil, after: [String: UInt64] = [:]
  ) throws(AnnalsError) -> PageCheck.Report? {
    let report = try run(tables, after: after)
    let newest = try files { () throws(StoreFileError) in
      try PageCheck.newestTransaction(of: directory.open(current.fileName, .read))
    }
    return newest <= report.transaction + 1 ? report : nil
  }

  private func run(
    _ tables: [String]?, after: [String: UInt64] = [:]
  ) throws(AnnalsError) -> PageCheck.Report {
    try files { () throws(StoreFileError) in
      try PageCheck.run(
        current.fileName, in: directory, tables: StoreTables.definitions, later: StoreTables.later,
        ignoring: StoreTables.reserved, only: tables, after: after)
    }
  }

  private var busy: AnnalsError {
    AnnalsError(.busy, "'\(current.fileName)' changed too often while its pages were read; try again")
  }

  /// Throws `.damaged` unless every page of a file that nobody writes to is valid.
  package func mustBeSound() throws(AnnalsError) {
    try Self.mustBeClean(check(), current)
  }

  /// Throws `.damaged` unless the pages of these tables are valid.
  func mustBeSound(_ tables: [String]) throws(AnnalsError) {
    try Self.mustBeClean(settled(tables), current)
  }

  /// Throws `.damaged` unless the pages of the entries after a position are valid.
  package func entriesMustBeSound(after position: UInt64) throws(AnnalsError) {
    try Self.mustBeClean(settled(["entries"], after: ["entries": position]), current)
  }

  /// Throws `.damaged` unless every page is valid, while others write.
  func mustBeSound(in environment: Environment) throws(AnnalsError) {
    try Self.mustBeClean(check(in: environment), current)
  }

  private static func mustBeClean(_ report: PageCheck.Report, _ current: CurrentFile) throws(AnnalsError) {
    guard let first = report.findings.first else { return }
    throw AnnalsError(
      .damaged,
      "'\(current.fileName)' has \(report.findingCount) damaged places, the first in \(first); restore it from a backup",
      details: AnnalsError.Details {
        $0.file = current.fileName
        $0.offset = Int(clamping: first.offset)
      })
  }
}

extension EventLog {
  /// Throws `damaged` unless every page of the store at `url` is valid. Others can write meanwhile.
  ///
  /// - Complexity: O(size of the file).
  package static func mustHaveSoundPages(_ url: URL) throws(AnnalsError) {
    let report = try StorePages.check(storeAt: url)
    guard let first = report.findings.first else { return }
    throw AnnalsError(
      .damaged,
      "the log's file has \(report.findingCount) damaged places, the first in \(first); restore it from a backup",
      details: AnnalsError.Details { $0.offset = Int(clamping: first.offset) })
  }
}
