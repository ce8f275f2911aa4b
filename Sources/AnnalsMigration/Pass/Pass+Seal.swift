internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsProjections
internal import AnnalsSchema
internal import AnnalsStore
internal import LMDB

// The switch, during which writers wait.
extension Pass {
  /// Copies the rest, and seals the old generation. From this commit on, the new one is in use.
  ///
  /// Nothing here depends on the length of the log. If rows of inline projections are copied and an append
  /// has changed some since the last look, all rows are compared once more.
  ///
  /// - Parameter turn: The right to write to the old generation.
  /// - Returns: How long writers waited.
  mutating func seal(_ turn: consuming Environment.Turn) throws(AnnalsError) -> Duration {
    let begin = now
    show(.switching, machine.copied, of: machine.copied)
    point(.locked)
    var transaction = try source.environment.write(turn, .full)
    var views: WithdrawnViews?
    do throws(AnnalsError) {
      let sight = try see(transaction)
      try copyRest(sight)
      try inlineCopy.finish(StoreReader(transaction.view, source.tables), target)
      try finish(sight)
      views = try withdrawViews()
      // Nobody can know of the file before the seal, and after it everybody must find it under the shared
      // locks.
      target.environment.join(everybody)
      var meta = sight.meta
      meta.state = .sealed(Seal(successor: target.current.generation, epoch: sight.meta.epoch + 1))
      try transaction.put(meta.value(of: .state), StoreMeta.Name.state.rawValue, in: source.tables.meta)
      try transaction.remove(PassRow.name, in: source.tables.meta)
      try transaction.remove(PassArchiveRow.name, in: source.tables.meta)
    } catch {
      transaction.abort()
      throw error
    }
    do throws(EnvironmentError) { try transaction.commit() } catch {
      guard try isSealed(after: error) else {
        if case .panicked(let cause) = error { throw AnnalsError(EnvironmentError.notCommitted(cause)) }
        throw AnnalsError(error)
      }
    }
    point(.sealed)
    views?.end()
    return begin.duration(to: now)
  }

  /// Withdraws the views that select events by tags which the pass has changed, until the switch.
  ///
  /// A view that is built after the switch is built from the new generation. If the switch fails, views are
  /// built again from the old one.
  private func withdrawViews() throws(AnnalsError) -> WithdrawnViews? {
    let tags = try target.read { (reader) throws(AnnalsError) in try reader.passTags() }
    guard let tags else { return nil }
    return try ViewDirectory.withdrawViews(selectingBy: Set(tags.names.map { ExactText($0) }), in: directory)
  }

  /// The state that decides the last round.
  private struct LastSight {
    let meta: StoreMeta
    let last: UInt64
    let entries: Int
  }

  /// Reads the old generation, which nobody else changes now.
  private func see(_ transaction: borrowing WriteTransaction) throws(AnnalsError) -> LastSight {
    let reader = StoreReader(transaction.view, source.tables)
    let meta = try reader.meta()
    guard meta.state == .live, try reader.pass()?.id == row.id else {
      throw AnnalsError(
        .storeReplaced, "the generation that was copied is not in use any more; the new one is not used")
    }
    guard meta.epoch < .max else {
      throw AnnalsError(
        .damaged, "table 'meta': the row 'epoch' has a number that no store reaches",
        details: AnnalsError.Details { $0.table = "meta" })
    }
    guard meta.schemaEpoch == schemaEpoch else {
      throw AnnalsError(
        .busy,
        "a schema version was activated, or a feature came into use, during the migration pass; the store is as it was: begin the pass again",
        underlying: meta.requires == requires ? nil : PassOutdated())
    }
    if work.reach != nil { try work.mustReach(try reader.census(), try reader.kinds()) }
    let entries = try reader.statistics(of: source.tables.entries).entries
    return LastSight(
      meta: meta, last: try reader.last(), entries: entries + (work.patch?.missing ?? 0))
  }

  private mutating func copyRest(_ sight: LastSight) throws(AnnalsError) {
    while machine.copied < sight.last {
      let range = machine.copied + 1...sight.last
      machine.copy(upTo: try put(range, .full, entries: .max, bytes: 64 << 20))
    }
    if machine.compared < machine.copied { try compareRest() }
    point(.lastRound)
  }

  /// Makes the new generation ready for use.
  private func finish(_ sight: LastSight) throws(AnnalsError) {
    let (target, source) = (target, source)
    try archive?.synchronize()
    if work.move != nil { try moveLimits() }
    try mustHaveNoMoreNames()
    // They may have changed since the pass began.
    let (notes, cluster) = try source.read { (reader) throws(AnnalsError) in
      let names = isShared ? try reader.clusterRows(prefix: NamelessRow.prefix) : []
      return (try reader.notes(), try reader.clusterRows() + names)
    }
    try target.write(.full) { (transaction) throws(AnnalsError) in
      _ = try transaction.put(notes: notes, target.tables)
      for (name, value) in cluster { try transaction.put(value, name, in: target.tables.meta) }
      var times = TimesCopy(source: source, target: target, isRepairing: work.patch != nil)
      try times.finish(after: limitsCopied, in: &transaction)
      var meta = try complete(transaction, sight)
      meta.state = options.isHolding ? .appendsSuspended : .live
      meta.epoch = sight.meta.epoch + 1
      // Others may have become necessary since the pass began, or only with it.
      var requires = sight.meta.requires
      if work.reach?.plan.hasPersonalFields == true { requires.append(.personal) }
      for feature in requires where !meta.requires.contains(feature) { meta.requires.append(feature) }
      for name in [StoreMeta.Name.state, .epoch, .requires] {
        try transaction.put(meta.value(of: name), name.rawValue, in: target.tables.meta)
      }
      let predecessor = PredecessorRow(generation: source.current.generation, last: sight.last)
      try transaction.put(predecessor.encoded(), PredecessorRow.name, in: target.tables.meta)
      try transaction.remove(PassRow.name, in: target.tables.meta)
      if var row = archive?.row {
        row.isWhole = true
        try transaction.put(row.encoded(), PassArchiveRow.name, in: target.tables.meta)
      }
      if work.move != nil {
        try transaction.put(RegroupedRow.encoded(sight.last), RegroupedRow.name, in: target.tables.meta)
      }
      if hasAltered {
        let number = GenerationRow.encoded(target.current.generation)
        try transaction.put(number, GenerationRow.altered, in: target.tables.meta)
      }
    }
    try archive?.publish()
    point(.live)
  }

  /// Whether a fold may read entries otherwise than before the pass, with the same plan.
  private var hasAltered: Bool {
    tally.row.changes.retagged > 0 || tally.row.moved > 0 || work.patch.map { !$0.entries.isEmpty } ?? false
  }

  /// Throws `busy` if an event was appended to a stream after the pass had removed its name.
  private func mustHaveNoMoreNames() throws(AnnalsError) {
    if nameless.isEmpty { return }
    let now = try log.read { (snapshot) throws(AnnalsError) in try snapshot.namelessStreams() }
    guard nameless.isSubset(of: now) else {
      throw AnnalsError(
        .busy,
        """
        an event was appended to a stream whose name was erased, during a migration pass that removed the \
        name; the store is as it was: begin the pass again, which keeps the name
        """)
    }
  }

  /// Completes the limits of streams, in a pass that moves entries to other streams.
  private func moveLimits() throws(AnnalsError) {
    try mustHideTheSame()
    try LimitCopy(source: source, target: target, isMoving: work.move != nil).finish(
      try target.generation(in: directory), except: nameless)
  }

  /// Returns the rows of the new generation, which must have every entry.
  private func complete(
    _ transaction: borrowing WriteTransaction, _ sight: LastSight
  ) throws(AnnalsError) -> StoreMeta {
    let reader = StoreReader(transaction.view, target.tables)
    let (last, entries) = (try reader.last(), try reader.statistics(of: target.tables.entries).entries)
    guard last == sight.last, entries == sight.entries else {
      throw AnnalsError(
        .verifyFailed,
        "the new generation has \(entries) entries up to position \(last), and the old one \(sight.entries) up to \(sight.last); the store is as it was"
      )
    }
    return try reader.meta()
  }

  /// Whether the seal is on disk after a commit that failed.
  ///
  /// - Throws: `outcomeUnknown` if that cannot be found out. Nothing may be removed then, and nothing is lost
  ///   either way.
  private func isSealed(after error: EnvironmentError) throws(AnnalsError) -> Bool {
    if case .notCommitted = error { return false }
    do throws(AnnalsError) {
      let environment = source.environment
      if try storage({ () throws(EnvironmentError) in try environment.reopen(within: .seconds(5)) }) {
        var isSealed = false
        try environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
          let meta = try StoreReader(transaction.view, source.tables).meta()
          if case .sealed = meta.state { isSealed = true }
          // Put unchanged, so that the result is on disk and no later look differs.
          try transaction.put(meta.value(of: .epoch), StoreMeta.Name.epoch.rawValue, in: source.tables.meta)
        }
        return isSealed
      }
    } catch {
      // The unknown outcome matters more than its cause.
    }
    throw AnnalsError(
      .outcomeUnknown,
      "the last step of the switch failed, so it may or may not have happened; nothing is lost either way: open the store again, and begin the pass again if it is as before",
      underlying: error)
  }
}

/// The reason of a pass that ends because of a change after which it can only begin again: a feature came
/// into use, or a stream was truncated.
struct PassOutdated: Error {}
