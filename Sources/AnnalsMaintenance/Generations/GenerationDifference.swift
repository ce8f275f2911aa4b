internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsMigration
internal import AnnalsProjections
internal import AnnalsSubscriptions
internal import LMDB

/// What a generation and the one before it may differ in for views and aggregates.
enum GenerationDifference {
  case nothing
  /// Only the tags with these names.
  case tags([String])
  /// Any entry.
  case entries

  /// Withdraws the views whose rows may not be those of the generation before.
  func withdrawViews(in store: Directory) throws(AnnalsError) -> WithdrawnViews? {
    switch self {
    case .nothing: return nil
    case .tags(let names):
      return try ViewDirectory.withdrawViews(selectingBy: Set(names.map { ExactText($0) }), in: store)
    case .entries:
      try SnapshotFile.clear(in: store)
      return try ViewDirectory.withdrawViewsForRollback(in: store)
    }
  }

  /// Removes the snapshots of aggregates that were kept until the switch.
  func clearSnapshots(in store: Directory) {
    guard case .entries = self else { return }
    do throws(AnnalsError) { try SnapshotFile.clear(in: store) } catch {
      // All but those of the last moments are gone.
    }
  }
}

extension GenerationChange {
  /// What of the generation in use is not in `previous`, whose entries are at the same positions.
  func difference(
    from previous: StoreOpening.GenerationFile
  ) throws(AnnalsError) -> GenerationDifference {
    let pass = try inUse.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      let reader = StoreReader(transaction.view, inUse.tables)
      return (
        hasRewritten: try reader.passHasRewritten(), tags: try reader.passTags(),
        census: try Self.total(reader.census())
      )
    }
    guard !pass.hasRewritten else { return .entries }
    do throws(AnnalsError) {
      let census = try previous.environment.read(failure: AnnalsError.init) {
        (transaction) throws(AnnalsError) in
        try Self.total(StoreReader(transaction.view, StoreTables(previous.environment)).census())
      }
      // Hidden events have become stubs, and unreadable entries are in quarantine.
      guard census == pass.census else { return .entries }
    } catch  where error.code == .damaged {
      // A repaired store goes back to its damaged generation.
      return .entries
    }
    return pass.tags.map { .tags($0.names) } ?? .nothing
  }

  /// The counts of all kinds together: a pass gives kinds other numbers.
  private static func total(_ census: [UInt32: CensusRow]) -> CensusRow {
    var total = CensusRow()
    for row in census.values { total.add(row) }
    return total
  }
}
