import CLMDB
import Synchronization

/// A snapshot of all tables as of the last commit before it.
///
/// It ends with its value's life. While it is open, pages freed by later commits cannot be reused.
@safe
public struct ReadTransaction: ~Copyable, TableReading {
  private let keeper: ReadSlot

  init(environment: Environment, pointer: OpaquePointer) {
    keeper = unsafe ReadSlot(environment: environment, pointer: pointer)
  }

  /// The environment, which stays open as long as the snapshot.
  public var environment: Environment { keeper.environment }

  /// The transaction for LMDB.
  public var handle: TransactionHandle { unsafe TransactionHandle(pointer: keeper.pointer) }

  /// The object that keeps the snapshot open.
  public var slot: ReadSlot? { keeper }

  /// Ends the snapshot now.
  public consuming func end() {}

  /// Moves the snapshot to the newest commit, in the same slot of the reader table.
  ///
  /// After an error the snapshot can no longer be used.
  public mutating func renew() throws(EnvironmentError) {
    try environment.mustBeOwn()
    keeper.forgetTrees()
    unsafe mdb_txn_reset(handle.pointer)
    // Between the two it reads nothing, so the map may be replaced, and the snapshot is counted again.
    environment.ties.add(1, ordering: .relaxed)
    defer { environment.ties.subtract(1, ordering: .releasing) }
    environment.gate.leave()
    let code: Int32
    do throws(EnvironmentError) {
      code = try environment.begin { unsafe mdb_txn_renew(handle.pointer) }
    } catch {
      environment.gate.enter()
      throw error
    }
    // Its end decrements the count in any case.
    if code != MDB_SUCCESS { environment.gate.enter() }
    try check(code, "mdb_txn_renew")
  }
}

/// LMDB's read transaction, which ends when nothing reads from it any more.
///
/// It is a reference because the compiler (Swift 6.3) allows a value that is neither copyable nor escapable
/// to be assigned to a captured variable. A value kept that way must not outlive the transaction that it
/// reads from.
@safe
public final class ReadSlot {
  let environment: Environment
  let pointer: OpaquePointer
  /// The last two tables that were searched by numbers, with their trees; 0 is no table's number.
  private var trees: (newest: (UInt32, IntegerTree?), other: (UInt32, IntegerTree?)) = ((0, nil), (0, nil))

  init(environment: Environment, pointer: OpaquePointer) {
    self.environment = environment
    unsafe self.pointer = unsafe pointer
  }

  deinit {
    // In a child process the slot belongs to the parent.
    guard !environment.isInherited else { return }
    unsafe mdb_txn_abort(pointer)
    environment.gate.leave()
  }

  /// Returns the tree of a table whose keys are numbers; `nil` if it must be searched through LMDB.
  func tree(of table: Table) -> IntegerTree? {
    if trees.newest.0 == table.number { return trees.newest.1 }
    if trees.other.0 == table.number { return trees.other.1 }
    let tree = unsafe IntegerTree(of: table, in: TransactionHandle(pointer: pointer), environment)
    trees = (newest: (table.number, tree), other: trees.newest)
    return tree
  }

  /// Forgets the trees of a snapshot that is about to end.
  fileprivate func forgetTrees() {
    trees = ((0, nil), (0, nil))
  }
}

extension Environment {
  /// Begins a snapshot that its owner ends later.
  ///
  /// - Throws: `tooManyReaders` if every slot belongs to a live process.
  public func beginRead() throws(EnvironmentError) -> ReadTransaction {
    try mustBeOwn()
    var begun: OpaquePointer?
    var code = try unsafe begin(UInt32(MDB_RDONLY), &begun)
    if code == MDB_READERS_FULL {
      try clearStaleReaders()
      code = try unsafe begin(UInt32(MDB_RDONLY), &begun)
      if code == MDB_READERS_FULL { throw .tooManyReaders(max: try info().maximumReaders) }
    }
    try check(code, "mdb_txn_begin")
    guard let begun = unsafe begun else {
      gate.leave()
      throw .lmdb(LMDBError(code: MDB_BAD_TXN, function: "mdb_txn_begin"))
    }
    return unsafe ReadTransaction(environment: self, pointer: begun)
  }

  /// Calls `body` with a snapshot.
  public func read<R: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws(EnvironmentError) -> R
  ) throws(EnvironmentError) -> R {
    try body(beginRead())
  }

  /// Calls `body`, which throws errors of its own type, with a snapshot.
  ///
  /// - Parameter failure: Converts an error of the environment to one of the caller.
  public func read<R: ~Copyable, Failure: Error>(
    failure: (EnvironmentError) -> Failure,
    _ body: (borrowing ReadTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    let transaction: ReadTransaction
    do { transaction = try beginRead() } catch { throw failure(error) }
    return try body(transaction)
  }
}
