internal import AnnalsCoding
internal import LMDB

// Whether a group is stored whose commit failed while LMDB's meta page was written.
extension WriterLoop {
  /// How long readers, and others who open the store, may keep it from being opened anew.
  private static let settlingTime = Duration.seconds(2)

  /// Finds out whether a group is stored, and makes sure that it stays so.
  ///
  /// The turn is over, and the heads in memory are as before the group.
  ///
  /// - Parameters:
  ///   - unknown: What the callers are told if it cannot be found out.
  /// - Returns: The answers, if the group is stored.
  /// - Throws: `notCommitted` or `diskFull` if it is not, or `unknown`.
  mutating func settle(
    _ group: UnsettledGroup, otherwise unknown: AnnalsError
  ) throws(AnnalsError) -> [Result<Appended, AnnalsError>] {
    // The heads follow what is found, whoever wrote it.
    knownCommit = nil
    let isStored: Bool
    do throws(AnnalsError) {
      guard try reopen() else { throw unknown }
      isStored = try look(for: group.last)
    } catch {
      knownCommit = nil
      // That the outcome is unknown is what matters to a caller, more than what keeps it from being known.
      throw unknown
    }
    guard isStored else { throw AnnalsError(EnvironmentError.notCommitted(group.cause)) }
    return group.answers
  }

  /// Opens LMDB's environment again.
  ///
  /// - Returns: Whether readers and others who open the store let that happen in time.
  @discardableResult
  func reopen() throws(AnnalsError) -> Bool {
    let environment = generation.environment
    return try storage { () throws(EnvironmentError) in try environment.reopen(within: Self.settlingTime) }
  }

  /// Looks for an entry, and commits once more, so that what was found is on disk and no later look finds anything else.
  private mutating func look(for mark: EntryMark) throws(AnnalsError) -> Bool {
    var transaction = try generation.environment.write(turn(), .full)
    guard try catchUp(transaction) != nil else {
      // Another process has sealed the generation, behind the group's commit or in its place: that commit is durable, and nothing is appended here any more. What
      // succeeds the generation has the entries if it has them.
      let isStored = try mark.isThere(StoreReader(transaction.view, generation.tables))
      transaction.abort()
      return isStored
    }
    let isStored = try mark.isThere(StoreReader(transaction.view, generation.tables))
    let position = try StoreReader(transaction.view, generation.tables).checkpoint()
    // A commit that changes nothing would write nothing: a row is put as it is.
    var checkpoint: [UInt8] = []
    checkpoint.append(varint: position)
    try transaction.put(checkpoint, StoreMeta.Name.checkpoint.rawValue, in: generation.tables.meta)
    let commit = transaction.id
    do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
    knownCommit = commit
    return isStored
  }
}
