import CLMDB
import Synchronization

/// The decision about a write transaction after its body has returned.
public enum Decision<Result: ~Copyable>: ~Copyable {
  /// Keeps the changes.
  case commit(Result)
  /// Discards the changes.
  case abort(Result)
}

extension Environment {
  /// The number of write transactions after which the slots of dead readers are freed: checking one costs a
  /// call of `fcntl`.
  private static let writesPerCheck = 64

  /// Begins a write transaction that its owner commits later, on the same thread.
  ///
  /// It waits for other writers without a limit.
  /// - Throws: `file(.replaced)`, `file(.lockFileDamaged)` or `wrongTransactionID` if another writer may have
  ///   started.
  public func beginWrite(
    durability: Durability = .full
  ) throws(EnvironmentError) -> WriteTransaction {
    try beginWrite(turn(), durability: durability)
  }

  /// The exclusive right to begin a write transaction.
  public struct Turn: ~Copyable, Sendable {
    /// `write.lock`; `nil` only in tests that show its purpose.
    fileprivate let hold: FileLock.Hold?
    /// The lock of the file itself.
    fileprivate let file: DataLock?
  }

  /// Takes the next turn at writing, and waits for it without a limit.
  public func turn() throws(EnvironmentError) -> Turn {
    guard access == .readWrite, let locks else { throw .readOnly }
    guard guards.contains(.locks) else { return Turn(hold: nil, file: nil) }
    let hold = try files { () throws(StoreFileError) in try locks.turn() }
    return Turn(hold: hold, file: try DataLock.take(of: self, isWaiting: true))
  }

  /// Takes the turn at writing if it is free.
  ///
  /// - Returns: `nil` if another process has it, or waits for it.
  public func turnIfFree() throws(EnvironmentError) -> Turn? {
    guard access == .readWrite, let locks else { throw .readOnly }
    guard guards.contains(.locks) else { return Turn(hold: nil, file: nil) }
    guard let hold = try files({ () throws(StoreFileError) in try locks.turnIfFree() }) else { return nil }
    guard let file = try DataLock.take(of: self, isWaiting: false) else { return nil }
    return Turn(hold: hold, file: file)
  }

  /// Takes the next turn at writing, and waits at most for the given time. Waiting writers are served in
  /// turn.
  ///
  /// - Returns: `nil` if other processes had it all the time.
  public func turnIfFree(within limit: Duration) throws(EnvironmentError) -> Turn? {
    guard access == .readWrite, let locks else { throw .readOnly }
    guard guards.contains(.locks) else { return Turn(hold: nil, file: nil) }
    let end = ContinuousClock.now + limit
    guard let hold = try files({ () throws(StoreFileError) in try locks.turn(until: end) }) else {
      return nil
    }
    while true {
      // The lock belongs to the previous turn, or to a program that does not know the other locks.
      if let file = try DataLock.take(of: self, isWaiting: false) { return Turn(hold: hold, file: file) }
      guard ContinuousClock.now < end else { return nil }
      WriterThread.pause(milliseconds: 1)
    }
  }

  /// Returns the process that wrote last, or is writing, as it recorded itself; `nil` if it could not.
  public func lastWriter() throws(EnvironmentError) -> Int32? {
    try files { () throws(StoreFileError) in try locks?.write.lastHolder() }
  }

  /// Begins a write transaction in a turn, which ends with it.
  ///
  /// - Parameter isSmall: Whether the changes probably fit into a record of the journal, which has 32 KiB.
  ///   A durable commit of such a transaction needs one flush, if ``recordsCommits``.
  public func beginWrite(
    _ turn: consuming Turn, durability: Durability = .full, isSmall: Bool = false
  ) throws(EnvironmentError) -> WriteTransaction {
    try mustBeOwn()
    guard access == .readWrite, locks != nil else { throw .readOnly }
    let isCautious = journal != nil && durability != .none && flushesTwice.load(ordering: .relaxed)
    let durability = isCautious ? .full : durability
    try files { () throws(StoreFileError) in try checkNames() }
    try inside { () throws(EnvironmentError) in
      if guards.contains(.size) { try checkSize() }
      try unsafe set(durability, of: pointer())
    }
    // The slot of a killed reader keeps every page that is freed from then on.
    if writes.add(1, ordering: .relaxed).newValue % Self.writesPerCheck == 0 { try clearStaleReaders() }
    try makeRoom()
    var begun: OpaquePointer?
    try check(unsafe begin(0, &begun), "mdb_txn_begin")
    guard let begun = unsafe begun else {
      gate.leave()
      throw .lmdb(LMDBError(code: MDB_BAD_TXN, function: "mdb_txn_begin"))
    }
    let isRecorded = isSmall && durability == .full && journal != nil && recordsCommits && !isCautious
    let transaction = unsafe WriteTransaction(
      environment: self, pointer: begun, hold: turn.hold, file: turn.file, durability: durability,
      isRecorded: isRecorded)
    if guards.contains(.transactionID) {
      let expected = try gauge().lastTransaction &+ 1
      let found = transaction.id
      guard found == expected else {
        throw .wrongTransactionID(expected: expected, found: found)
      }
    }
    return transaction
  }

  /// Calls `body` with a write transaction, and commits it when that returns.
  ///
  /// An error aborts it.
  public func write<R: ~Copyable>(
    durability: Durability = .full,
    _ body: (inout WriteTransaction) throws(EnvironmentError) -> R
  ) throws(EnvironmentError) -> R {
    try write(durability: durability, failure: { $0 }, body)
  }

  /// Calls `body`, which throws errors of its own type, with a write transaction, and commits it when that
  /// returns.
  ///
  /// An error aborts it.
  /// - Parameter failure: Converts an error of the environment to one of the caller.
  public func write<R: ~Copyable, Failure: Error>(
    durability: Durability = .full, failure: (EnvironmentError) -> Failure,
    _ body: (inout WriteTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    var transaction: WriteTransaction
    do { transaction = try beginWrite(durability: durability) } catch { throw failure(error) }
    let result = try body(&transaction)
    do { try transaction.commit() } catch { throw failure(error) }
    return result
  }

  /// Calls `body`, which decides whether to commit, with a write transaction.
  public func decide<R: ~Copyable, Failure: Error>(
    durability: Durability = .full, failure: (EnvironmentError) -> Failure,
    _ body: (inout WriteTransaction) throws(Failure) -> Decision<R>
  ) throws(Failure) -> R {
    var transaction: WriteTransaction
    do { transaction = try beginWrite(durability: durability) } catch { throw failure(error) }
    switch try body(&transaction) {
    case .commit(let result):
      do { try transaction.commit() } catch { throw failure(error) }
      return result
    case .abort(let result):
      transaction.abort()
      return result
    }
  }

  /// Checks that the names still refer to the open files: a process that opens other files by these names is
  /// not excluded.
  ///
  /// While the time of the directory's last change is the same as at a complete check, its names are too. Two
  /// system calls then, otherwise six.
  func checkNames() throws(StoreFileError) {
    guard guards.contains(.names), let locks else { return }
    let change = directory.lastChange
    if change == nil || change != checkedChange.load(ordering: .relaxed) {
      for lock in [locks.write, locks.queue, locks.open] {
        guard try lock.isCurrent() else { throw .lockFileDamaged(file: lock.name) }
      }
      guard try directory.status(of: name)?.identity == dataIdentity else {
        throw .replaced(file: name)
      }
    }
    // A shorter lock file would crash the process at the first access to the missing part, and has lost
    // readers.
    guard let lockFile, let status = try directory.status(of: name + "-lock"),
      status.identity == lockFile.identity, status.size >= lockFile.size
    else { throw .lockFileDamaged(file: name + "-lock") }
    // Another change could have the time of a recent one.
    if let change, change != checkedChange.load(ordering: .relaxed), Directory.isLongPast(change) {
      checkedChange.store(change, ordering: .relaxed)
    }
  }

  /// Checks that the file has not become shorter: LMDB would crash on the missing pages. As ``gauge()``.
  func checkSize() throws(EnvironmentError) {
    let descriptor = try handle.descriptor()
    let size = try files { () throws(StoreFileError) -> Int in try FileStatus(of: descriptor, name: name).size
    }
    let known = knownSize.max(size, ordering: .relaxed).oldValue
    guard size >= known else { throw .file(.truncated(file: name, have: size, need: known)) }
  }

  /// Sets how the commits of this process flush; only for the one that has the turn at writing.
  func set(
    _ durability: Durability, of pointer: OpaquePointer
  ) throws(EnvironmentError) {
    let wanted: Int32 =
      switch durability {
      case .full: 0
      case .relaxed: MDB_NOMETASYNC
      case .none: MDB_NOSYNC
      }
    var flags: UInt32 = 0
    try unsafe check(mdb_env_get_flags(pointer, &flags), "mdb_env_get_flags")
    for flag in [MDB_NOMETASYNC, MDB_NOSYNC] where (flags & UInt32(flag) != 0) != (flag == wanted) {
      try unsafe check(
        mdb_env_set_flags(pointer, UInt32(flag), flag == wanted ? 1 : 0), "mdb_env_set_flags")
    }
  }
}
