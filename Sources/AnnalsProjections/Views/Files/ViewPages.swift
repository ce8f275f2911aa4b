internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB

/// Checks the pages of a view's file without LMDB, which trusts its file and ends the process if it is
/// damaged.
///
/// Others can write meanwhile.
struct ViewPages {
  /// What every process reads that opens the file, and what it writes to withdraw it.
  private static let small = ["meta", PageCheck.freeList]

  private let number: UInt64
  /// The projection's name, for errors.
  private let name: String
  private let directory: Directory

  init(_ number: UInt64, called name: String, in directory: Directory) {
    self.number = number
    self.name = name
    self.directory = directory
  }

  private var file: String { ViewFile.stem(number) + ".mdb" }

  /// Throws `damaged` unless the facts about the view can be read and changed.
  ///
  /// - Parameter lock: The lock that writers of the file hold.
  /// - Complexity: O(free pages).
  func mustBeUsable(writers lock: FileLock) throws(AnnalsError) {
    try mustBeClean(
      files { () throws(StoreFileError) in
        try PageCheck.run(
          file, in: directory, tables: ViewFile.definitions, only: Self.small, writers: lock)
      })
  }

  /// Throws `damaged` unless every page is valid. No page of a snapshot is reused before the snapshot ends.
  ///
  /// - Complexity: O(size of the file).
  func mustBeSound(in environment: Environment) throws(AnnalsError) {
    try environment.read(failure: AnnalsError.init) { (_) throws(AnnalsError) in
      let report = try all()
      // A meta page that was read during its write is not damaged.
      try mustBeClean(report.isClean ? report : all())
    }
  }

  private func all() throws(AnnalsError) -> PageCheck.Report {
    try files { () throws(StoreFileError) in
      try PageCheck.run(file, in: directory, tables: ViewFile.definitions)
    }
  }

  private func mustBeClean(_ report: PageCheck.Report) throws(AnnalsError) {
    guard let first = report.findings.first else { return }
    throw AnnalsError(
      .damaged,
      "the view '\(name)': '\(file)' has \(report.findingCount) damaged places, the first in \(first); open the view for writing, which builds it again",
      details: AnnalsError.Details {
        $0.file = file
        $0.offset = Int(clamping: first.offset)
      })
  }
}
