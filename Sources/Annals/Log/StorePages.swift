internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Looks at the pages of a store's file without LMDB, which trusts its file and ends the process where it is damaged.
struct StorePages {
  private let directory: Directory
  private let current: CurrentFile

  init(_ directory: Directory, _ current: CurrentFile) {
    self.directory = directory
    self.current = current
  }

  /// Checks every page that can be reached of the generation in use of the store at `url`.
  ///
  /// Of each generation that is only on the way, the pages are checked before it is asked which one succeeds it.
  static func check(storeAt url: URL) throws(AnnalsError) -> PageCheck.Report {
    let options = StoreOptions(access: .readOnly, creation: .never)
    let opening = StoreOpening(directory: try StorePlace(url).open(options), options: options)
    var current = try opening.readCurrent()
    var chain = GenerationChain(from: current.generation)
    while true {
      let report = try StorePages(opening.directory, current).check()
      guard report.isClean, let state = try opening.state(of: current) else { return report }
      guard case .follow(let next) = chain.step(state.state, epoch: state.epoch) else { return report }
      current.generation = next
      try opening.mustBeThere(current)
    }
  }

  /// Checks every page that can be reached, or those of a few tables, while no process can write.
  func check(only tables: [String]? = nil) throws(AnnalsError) -> PageCheck.Report {
    try files { () throws(StoreFileError) in
      // Where nobody can write there is nobody to lock out.
      if try directory.fileSystem().isReadOnly { return try run(tables) }
      let opening = StoreOpening(directory: directory, options: StoreOptions(access: .readOnly))
      let hold = try opening.lockFile("write.lock").lock(.exclusive)
      let report = try run(tables)
      _ = consume hold
      return report
    }
  }

  private func run(_ tables: [String]?) throws(StoreFileError) -> PageCheck.Report {
    try PageCheck.run(
      current.fileName, in: directory, tables: StoreTables.definitions, later: StoreTables.later,
      ignoring: StoreTables.reserved, only: tables)
  }

  /// Throws `.damaged` unless every page is as it must be.
  func mustBeSound(only tables: [String]? = nil) throws(AnnalsError) {
    let report = try check(only: tables)
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
