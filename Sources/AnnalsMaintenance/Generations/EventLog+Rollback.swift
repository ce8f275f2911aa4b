public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import AnnalsMigration
internal import AnnalsProjections
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The result of a rollback.
public struct RollbackReport: Hashable, Sendable {
  /// The generation that was in use, and is kept until it is discarded.
  public let from: UInt64
  /// The generation that is in use again.
  public let to: UInt64
  /// Whether an earlier rollback was nearly complete, so that only its last steps were done now.
  public let wasFinished: Bool
}

/// The result of an acceptance.
public struct AcceptReport: Hashable, Sendable {
  /// The generation in use.
  public let generation: UInt64
  /// Whether it was held until now.
  public let wasHeld: Bool
}

extension EventLog {
  /// Returns to the generation before the last switch, if nothing has been appended since.
  ///
  /// Afterwards the predecessor is in use and takes appends, for all processes that have the store open. The
  /// generation that was in use is sealed and kept until ``discardPrevious(_:)``. If its pass has changed any
  /// entry, views are built again, because they may be folded from entries as the pass left them, and
  /// snapshots of aggregates are removed. A process that is killed meanwhile leaves one of the two in use,
  /// never both; the next open completes the rollback.
  ///
  /// - Parameter url: The store's directory.
  /// - Returns: The result.
  /// - Throws: ``AnnalsError`` with code `wrongUse` if no migration pass made the generation in use, if its
  ///   predecessor was discarded, if entries were appended since the switch, which would be lost
  ///   (`details.position` is the first), or if some were erased since then (`details.position` is the one of
  ///   the record); `busy` if a pass runs or is unfinished, or if an erasure that was begun since the switch
  ///   is not complete; `damaged`, and as ``init(at:options:)``. In that case nothing is changed.
  /// - Complexity: Two durable commits and a rename, regardless of the length of the log, and one commit for
  ///   each view that is built again.
  public static func rollback(_ url: URL) throws(AnnalsError) -> RollbackReport {
    let change = try GenerationChange(url, StoreOptions())
    if let from = change.finishedRollback {
      return RollbackReport(from: from, to: change.inUse.number, wasFinished: true)
    }
    return try change.rollback()
  }

  /// Accepts a held switch, so that the generation in use takes appends.
  ///
  /// After the first append, ``rollback(_:)`` is no longer possible. A store that is not held is not changed.
  ///
  /// - Parameter url: The store's directory.
  /// - Returns: The result.
  /// - Throws: ``AnnalsError`` with code `busy` if a pass runs, and as ``init(at:options:)``. In that case
  ///   nothing is changed.
  /// - Complexity: One durable commit.
  public static func accept(_ url: URL) throws(AnnalsError) -> AcceptReport {
    try GenerationChange(url, StoreOptions()).accept()
  }
}

extension GenerationChange {
  /// Goes back to the predecessor of the generation in use.
  consuming func rollback() throws(AnnalsError) -> RollbackReport {
    let rows = try inUse.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      let reader = StoreReader(transaction.view, inUse.tables)
      return (
        pass: try reader.pass(), predecessor: try reader.predecessor(),
        erasing: try reader.unfinishedErasure()
      )
    }
    if let pass = rows.pass {
      throw AnnalsError(
        .busy,
        "a migration pass from generation \(inUse.number) to generation \(pass.other) is unfinished: finish it ('migrate' or 'compact' goes on with it, and with '--restart' begins it again), or throw it away in a program (a pass with MigrationOptions.Unfinished.discard, ended by MigrationRun.cancel()); nothing was changed"
      )
    }
    guard let predecessor = rows.predecessor else {
      throw AnnalsError(
        .wrongUse,
        "there is no generation to go back to: generation \(inUse.number) was made by no migration pass, or the one before it was discarded"
      )
    }
    let previous = try previous(predecessor)
    try mustNotForget(rows.erasing, previous)
    let epoch = inUse.meta.epoch
    let schemaEpoch = previous.meta.schemaEpoch
    // Appends first: the first use of a feature, such as closing a stream, also changes the schema epoch.
    try inUse.read { (reader) throws(AnnalsError) in try Self.mustLoseNothing(reader, predecessor, epoch) }
    try Self.mustBeOne(schemaEpoch, inUse.meta.schemaEpoch)
    let difference = try difference(from: previous)
    var views: WithdrawnViews?
    let opened = StoreOpening.Opened(
      file: previous, kinds: KindRegistry(), arrived: epoch + 1, isStale: true, previous: inUse.number)
    let successor = Generation(opened, opening.directory, heads: 0)
    var isSealed = false
    while !isSealed {
      // Before the commit point, because afterwards any process may do the rest, and would not know of them.
      let notes = try inUse.read { (reader) throws(AnnalsError) in try reader.notes() }
      try write(in: successor) { (transaction) throws(AnnalsError) in
        try transaction.put(notes: notes, successor.tables)
      }
      try write(in: inUse) { (transaction) throws(AnnalsError) in
        // They may have changed while the turn was waited for.
        try Self.mustLoseNothing(StoreReader(transaction.view, inUse.tables), predecessor, epoch)
        try Self.mustBeOne(schemaEpoch, try meta(in: transaction).schemaEpoch)
        // Another process may have recorded a backup meanwhile.
        guard try StoreReader(transaction.view, inUse.tables).notes() == notes else { return false }
        // Only a rollback that will be may withdraw them: each is built again from the whole log.
        views = try difference.withdrawViews(in: opening.directory)
        // The commit point: from here on the predecessor is in use, and any process may do the rest.
        try seal(&transaction, successor: predecessor.generation)
        isSealed = true
        return true
      }
    }
    views?.end()
    difference.clearSnapshots(in: opening.directory)
    do throws(AnnalsError) {
      try successor.unsealIfStale(within: options.lockTimeout)
      try opening.record()
    } catch {
      // After the commit point the predecessor is in use even if a step fails here. The next writer or opener
      // does the rest.
    }
    return RollbackReport(from: inUse.number, to: predecessor.generation, wasFinished: false)
  }

  /// The generation to go back to, which must say that it is the predecessor of the one in use.
  private func previous(_ row: PredecessorRow) throws(AnnalsError) -> StoreOpening.GenerationFile {
    let number = row.generation
    let previous: StoreOpening.GenerationFile
    do throws(AnnalsError) { previous = try file(number) } catch  where error.code == .incomplete {
      throw AnnalsError(
        .wrongUse, "there is no generation to go back to: generation \(number) was discarded",
        underlying: error)
    }
    // The one in use may have been succeeded and rolled back to since, which raised its epoch.
    guard case .sealed(let seal) = previous.meta.state, seal.successor == inUse.number,
      seal.epoch <= inUse.meta.epoch
    else {
      throw AnnalsError(
        .damaged,
        "'\(previous.current.fileName)' does not say that '\(inUse.current.fileName)' succeeds it; nothing was changed",
        details: AnnalsError.Details { $0.file = previous.current.fileName })
    }
    if previous.meta.schemaEpoch != inUse.meta.schemaEpoch { try mustNotBringBack(after: row.last) }
    return previous
  }

  /// Throws if entries were erased since the switch, which the predecessor still has.
  private func mustNotBringBack(after last: UInt64) throws(AnnalsError) {
    for change in try inUse.systemEntries() where change.position.rawValue > last {
      guard case .erased(let positions, _) = change.entry.change else { continue }
      throw AnnalsError(
        .wrongUse,
        "position \(change.position): \(positions.isEmpty ? "a person's key was dropped" : "\(positions.count) entries were erased") since the switch, and a rollback would bring \(positions.isEmpty ? "results of it" : "them") back; nothing was changed",
        details: AnnalsError.Details { $0.position = change.position })
    }
  }

  /// Throws if the predecessor does not know of an erasure that was begun and is not complete.
  ///
  /// Erasures and rollbacks exclude each other, so that none begins meanwhile.
  private func mustNotForget(
    _ erasing: ErasingRow?, _ previous: StoreOpening.GenerationFile
  ) throws(AnnalsError) {
    guard let erasing else { return }
    let known = try previous.environment.read(failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      try StoreReader(transaction.view, StoreTables(previous.environment)).unfinishedErasure()
    }
    guard known != erasing else { return }
    throw AnnalsError(
      .busy,
      "an erasure that \(erasing.author) asked for was begun since the switch and is not complete, and a rollback would forget it; nothing was changed: the next open of the store with its plan completes it, or 'annals erasures STORE --finish'; after that, no rollback to a generation before it is possible"
    )
  }

  /// Throws unless the log ends where the predecessor does.
  private static func mustLoseNothing(
    _ reader: StoreReader, _ predecessor: PredecessorRow, _ epoch: UInt64
  ) throws(AnnalsError) {
    let last = try reader.last()
    guard last <= predecessor.last else {
      throw AnnalsError(
        .wrongUse,
        "\(last - predecessor.last) entries were appended since the switch, from position \(predecessor.last + 1) to \(last); a rollback would lose them; nothing was changed",
        details: AnnalsError.Details { $0.position = Position(predecessor.last + 1) })
    }
    guard last == predecessor.last, epoch < .max else {
      throw AnnalsError(
        .damaged, "table 'meta': the log ends at \(last), and its switch was at \(predecessor.last)",
        details: AnnalsError.Details { $0.table = "meta" })
    }
  }

  /// Throws unless both generations have seen the same activations.
  private static func mustBeOne(_ previous: UInt64, _ inUse: UInt64) throws(AnnalsError) {
    guard previous == inUse else {
      throw AnnalsError(
        .wrongUse,
        "a schema version was activated, or the store was set to recognise event ids in another way, since the switch, and a rollback would undo that under programs that rely on it; nothing was changed"
      )
    }
  }

  /// Lets the generation in use take appends.
  consuming func accept() throws(AnnalsError) -> AcceptReport {
    var wasHeld = false
    try write(in: inUse) { (transaction) throws(AnnalsError) in
      var meta = try self.meta(in: transaction)
      guard meta.state == .appendsSuspended else { return false }
      meta.state = .live
      try transaction.put(meta.value(of: .state), StoreMeta.Name.state.rawValue, in: inUse.tables.meta)
      wasHeld = true
      return true
    }
    return AcceptReport(generation: inUse.number, wasHeld: wasHeld)
  }
}
