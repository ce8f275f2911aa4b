internal import AnnalsFormat

#if DEBUG
  public import AnnalsCoding
  public import AnnalsLog
  internal import LMDB

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  extension EventStore {
    /// Removes the store at `url` if only drafts have ever stored events in it, so that work on a schema can
    /// start again.
    ///
    /// This method exists only in debug builds. The library never calls it: no open removes a store.
    ///
    /// - Parameter url: The store's directory.
    /// - Returns: The number of removed events of each type.
    /// - Throws: ``AnnalsError`` with code `wrongUse` if the store has an event of a released version, or one
    ///   without a version, and the errors of ``EventLog/init(at:options:)``. After an error nothing has
    ///   changed.
    /// - Complexity: O(record types), and the removal of the files.
    public static func eraseDrafts(at url: URL) throws(AnnalsError) -> [CensusLine] {
      let log = try EventLog(at: url, options: StoreOptions(creation: .never))
      let census = try log.read { (snapshot) throws(AnnalsError) in try snapshot.census() }
      let generation = log.core.generation
      // The turn at writing keeps others from storing anything between the check and the removal.
      let transaction = try storage { () throws(EnvironmentError) in try generation.environment.beginWrite() }
      do throws(AnnalsError) {
        try mustBeDrafts(transaction, generation.tables)
        let aside = url.deletingLastPathComponent().appendingPathComponent(
          ".\(url.lastPathComponent).erased-\(UUID().uuidString)")
        do {
          try FileManager.default.moveItem(at: url, to: aside)
          try FileManager.default.removeItem(at: aside)
        } catch {
          throw AnnalsError(.inputOutput, "the store could not be removed: \(error)", underlying: error)
        }
      } catch {
        transaction.abort()
        throw error
      }
      transaction.abort()
      return census
    }

    private static func mustBeDrafts(
      _ transaction: borrowing WriteTransaction, _ tables: StoreTables
    ) throws(AnnalsError) {
      let reader = StoreReader(transaction.view, tables)
      let kinds = try reader.kinds()
      let rows = try reader.census()
      for kind in kinds.kinds.values.sorted(by: { $0.number < $1.number })
      where kinds.schemas[kind.row.ordinal]?.stability != .draft && rows[kind.number] != nil {
        throw AnnalsError(
          .wrongUse,
          "the store has events of '\(kind.row.name)' of \(kind.version.map { "version \($0), which was released" } ?? "no version"): it is no store of drafts alone, and nothing was removed",
          details: AnnalsError.Details {
            $0.type = kind.row.name
            $0.version = kind.version
          })
      }
    }
  }
#endif
