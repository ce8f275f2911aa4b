package import AnnalsCoding
internal import AnnalsLog
package import LMDB

/// A file with a name of its own in a store's directory `views`, and the check of its pages without LMDB.
///
/// LMDB trusts its file. A damaged page can hide rows, or end the process. Others can write meanwhile.
package struct FileNextToLog: Sendable {
  /// The consumers' checkpoints and dead letters.
  package static let consumers = FileNextToLog("consumers", ["checkpoints", "letters", "meta"])
  /// The snapshots of aggregates.
  package static let snapshots = FileNextToLog("snapshots", ["snapshots"])
  /// The directory of such files in that of the store.
  static let directory = "views"

  /// The name without its ending.
  let stem: String
  /// The tables that the file must have.
  let tables: [TableDefinition]

  private init(_ stem: String, _ tables: [String]) {
    self.stem = stem
    self.tables = tables.map { TableDefinition($0, integerKeys: false) }
  }

  /// The name in the directory.
  package var name: String { stem + ".mdb" }

  /// Checks every page, or in a file that is larger than `most` only the list of free pages, which every
  /// writer reads.
  ///
  /// - Parameters:
  ///   - views: The directory of the file.
  ///   - most: The largest size in bytes of a file that is read whole.
  ///   - lock: The lock that writers of the file hold; `nil` if there can be none.
  /// - Complexity: O(`most`), or O(size of the file) if that is smaller, and O(free pages).
  func check(
    in views: Directory, most: Int = .max, writers lock: FileLock?
  ) throws(StoreFileError) -> PageCheck.Report {
    let isWhole = try views.status(of: name).map { $0.size <= most } ?? true
    return try PageCheck.run(
      name, in: views, tables: tables, only: isWhole ? nil : [PageCheck.freeList], writers: lock)
  }

  /// Checks every page of the file of a store.
  ///
  /// - Returns: The problems; none if there is no such file.
  package func problems(in store: Directory) throws(AnnalsError) -> [String] {
    do throws(AnnalsError) {
      let report = try files { () throws(StoreFileError) -> PageCheck.Report? in
        let views: Directory
        do throws(StoreFileError) { views = try store.directory(Self.directory) } catch .missing {
          return nil
        }
        guard try views.status(of: name) != nil else { return nil }
        let lock: FileLock?
        do throws(StoreFileError) {
          lock = try FileLock(stem + ".write", in: views, create: false)
        } catch .missing { lock = nil }
        return try check(in: views, writers: lock)
      }
      return report.map { $0.findings.map(\.description) } ?? []
    } catch {
      guard error.code == .damaged else { throw error }
      return [error.message]
    }
  }
}
