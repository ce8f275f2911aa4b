internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSubscriptions
internal import AnnalsVerify
internal import LMDB

/// A file next to the log, and the check of its pages without LMDB. Others can write meanwhile.
struct FileNextToLog {
  /// The checkpoints of consumers, the snapshots of aggregates, and the keys of personal fields.
  static let all = [
    FileNextToLog(
      directory: ConsumerFile.directoryName, stem: ConsumerFile.stem, tables: ConsumerFile.definitions,
      repair: .remove, readRows: ConsumerFile.readAll),
    FileNextToLog(
      directory: SnapshotFile.directoryName, stem: SnapshotFile.stem, tables: SnapshotFile.definitions,
      repair: .rebuild),
    FileNextToLog(
      directory: nil, stem: KeyNotes.stem, tables: KeyNotes.definitions, repair: .restore),
  ]

  /// The directory of the file in that of the store; `nil` for that of the store.
  private let directory: String?
  /// The name without its ending.
  private let stem: String
  private let tables: [TableDefinition]
  private let repair: Finding.Repair
  /// Reads every row; `nil` if a wrong row is noticed only where it is used.
  var readRows: (@Sendable (Directory) throws(AnnalsError) -> Void)?

  /// Adds the problems of the file of a store; none if there is no such file.
  func check(in store: Directory, _ report: inout VerifyReport) throws(AnnalsError) {
    let place = (directory.map { $0 + "/" } ?? "") + stem + ".mdb"
    do throws(AnnalsError) {
      let pages = try files { () throws(StoreFileError) in try self.pages(in: store) }
      for finding in pages?.findings ?? [] {
        report.add(Finding(place: place, problem: finding.description, repair: repair))
      }
      if pages?.isClean == true { try readRows?(store) }
    } catch {
      guard error.code == .damaged else { throw error }
      report.add(Finding(place: place, problem: error.message, repair: repair))
    }
  }

  private func pages(in store: Directory) throws(StoreFileError) -> PageCheck.Report? {
    do throws(StoreFileError) {
      let name = stem + ".mdb"
      guard let directory else { return try pages(of: name, in: store) }
      return try pages(of: name, in: store.directory(directory))
    } catch .missing {
      return nil
    }
  }

  private func pages(of name: String, in directory: Directory) throws(StoreFileError) -> PageCheck.Report? {
    guard try directory.status(of: name) != nil else { return nil }
    let lock: FileLock?
    do throws(StoreFileError) {
      lock = try FileLock(stem + ".write", in: directory, create: false)
    } catch .missing {
      lock = nil
    }
    return try PageCheck.run(name, in: directory, tables: tables, writers: lock)
  }
}
