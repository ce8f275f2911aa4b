internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

// Whether a group is stored whose commit failed while LMDB's meta page was written, and repeated calls.
extension WriterLoop {
  /// The time for which other processes may keep a caller, or an outcome from being found out.
  static let settlingTime = Duration.seconds(2)

  /// Finds out whether a group is stored, and makes sure that it stays so.
  ///
  /// The turn has ended, LMDB's environment was reopened, and the heads in memory are as before the group.
  ///
  /// - Parameters:
  ///   - unknown: The error for the callers if it cannot be found out.
  /// - Returns: The answers, if the group is stored.
  /// - Throws: `notCommitted` or `diskFull` if it is not, or `unknown`.
  mutating func settle(
    _ group: UnsettledGroup, otherwise unknown: AnnalsError
  ) throws(AnnalsError) -> [Result<Appended, AnnalsError>] {
    let isStored: Bool
    do throws(AnnalsError) {
      // The group may be in the journal alone.
      if generation.environment.later(StoreTables.journal.name) != nil {
        try generation.environment.openJournal(within: Self.settlingTime)
      }
      isStored = try look(for: group.last)
    } catch {
      knownCommit = nil
      // To a caller the unknown outcome matters more than its cause.
      throw unknown
    }
    guard isStored else { throw AnnalsError(EnvironmentError.notCommitted(group.cause)) }
    return group.answers
  }

  /// Searches for an entry, and commits once more, so that the result is on disk and no later search differs.
  private mutating func look(for mark: EntryMark) throws(AnnalsError) -> Bool {
    var transaction = try generation.environment.write(turn(), .full)
    guard try catchUp(transaction) != nil else {
      // Another process has sealed the generation, after the group's commit or in its place. That commit is
      // durable, and nothing more is appended here. The successor has the entries if this generation has
      // them.
      let isStored = try mark.isThere(StoreReader(transaction.view, generation.tables))
      transaction.abort()
      return isStored
    }
    let isStored = try mark.isThere(StoreReader(transaction.view, generation.tables))
    try putUnchanged(in: &transaction)
    let commit = transaction.id
    do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
    knownCommit = commit
    return isStored
  }

  /// Commits without a change, so that everything committed before is on disk.
  mutating func commitUnchanged() throws(AnnalsError) {
    var transaction = try generation.environment.write(turn(), .full)
    // The commit that sealed a generation was durable, and so were those before it.
    guard try catchUp(transaction) != nil else { return transaction.abort() }
    try putUnchanged(in: &transaction)
    let commit = transaction.id
    do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
    knownCommit = commit
  }

  /// Puts a row that is there already: a commit without changes would write nothing.
  private func putUnchanged(in transaction: inout WriteTransaction) throws(AnnalsError) {
    var checkpoint: [UInt8] = []
    checkpoint.append(varint: try StoreReader(transaction.view, generation.tables).checkpoint())
    try transaction.put(checkpoint, StoreMeta.Name.checkpoint.rawValue, in: generation.tables.meta)
  }

  /// Makes sure that all reported entries are on disk. The last commit may be another process's, and relaxed.
  mutating func confirm(
    _ calls: [GroupCall], _ answers: [Result<Appended, AnnalsError>]
  ) throws(AnnalsError) {
    let isRepeated = zip(calls, answers).contains { call, answer in
      guard call.durability == .full, case .success(let appended) = answer else { return false }
      return appended.wasRepeated
    }
    guard isRepeated else { return }
    if generation.environment.isCertainAfterFlush {
      try storage { () throws(EnvironmentError) in try generation.environment.synchronize() }
    } else {
      try commitUnchanged()
    }
  }
}
