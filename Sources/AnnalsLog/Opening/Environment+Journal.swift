package import AnnalsCoding
package import LMDB

extension Environment {
  /// Finishes the last commit of a generation if a power cut has taken its meta page, and uses the journal
  /// from now on.
  ///
  /// - Throws: `busy` if another process keeps the turn at writing; `incomplete` if only an opener that may
  ///   write can finish the commit; `needsNewer` for a record that this library does not know;
  ///   `damaged` if there is no journal.
  package func openJournal(within limit: Duration) throws(AnnalsError) {
    let state = try storage { () throws(EnvironmentError) in
      try openJournal(StoreTables.journal, within: limit)
    }
    switch state {
    case .ready: return
    case .missing:
      throw AnnalsError(
        .damaged,
        "'\(name)': the store says that it has a journal, and the table 'journal' has none; restore it from a backup",
        details: AnnalsError.Details {
          $0.file = name
          $0.table = "journal"
        })
    case .busy: throw busy(for: limit)
    case .unfinished:
      throw AnnalsError(
        .incomplete,
        "'\(name)': the last commit before a power cut is in the journal alone; open the store once with access .readWrite, which finishes it",
        details: AnnalsError.Details { $0.file = name })
    case .unknownChanges:
      throw AnnalsError(
        .needsNewer,
        "'\(name)': the journal has a commit of a newer version of the library; open the store with that one",
        details: AnnalsError.Details { $0.file = name })
    }
  }
}
