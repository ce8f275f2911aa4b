import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A snapshot of all tables as the last commit before it left them.
///
/// It ends when its value does. While it lives, pages that later commits free cannot be used again.
@safe
public struct ReadTransaction: ~Copyable, TableReading {
  private let slot: ReadSlot

  init(environment: Environment, pointer: OpaquePointer) {
    slot = unsafe ReadSlot(environment: environment, pointer: pointer)
  }

  /// The environment, which stays open as long.
  public var environment: Environment { slot.environment }

  /// The transaction for LMDB.
  public var handle: TransactionHandle { unsafe TransactionHandle(pointer: slot.pointer) }

  /// What keeps the snapshot from ending.
  public var keeper: AnyObject? { slot }

  /// Ends the snapshot now.
  public consuming func end() {}

  /// Moves on to the newest commit, in the same slot of the reader's table.
  ///
  /// After an error the snapshot cannot be used any more.
  public mutating func renew() throws(EnvironmentError) {
    try environment.mustBeOwn()
    unsafe mdb_txn_reset(handle.pointer)
    // Between the two it reads nothing, so that the map may be replaced, and is counted anew.
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
    // Its end counts it out, whatever became of it.
    if code != MDB_SUCCESS { environment.gate.enter() }
    try check(code, "mdb_txn_renew")
  }
}

/// LMDB's read transaction, ended when nothing reads from it any more.
///
/// A reference, because the compiler (Swift 6.3) lets a value that is neither copyable nor escapable be assigned to a captured variable: what is
/// kept that way must not outlive the transaction it reads from.
@safe
private final class ReadSlot {
  let environment: Environment
  let pointer: OpaquePointer

  init(environment: Environment, pointer: OpaquePointer) {
    self.environment = environment
    unsafe self.pointer = unsafe pointer
  }

  deinit {
    // In a child the slot is the parent's.
    guard getpid() == environment.process else { return }
    unsafe mdb_txn_abort(pointer)
    environment.gate.leave()
  }
}

extension Environment {
  /// Begins a snapshot for an owner that ends it later.
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

  /// Lends a snapshot to `body`.
  public func read<R: ~Copyable>(
    _ body: (borrowing ReadTransaction) throws(EnvironmentError) -> R
  ) throws(EnvironmentError) -> R {
    try body(beginRead())
  }

  /// Lends a snapshot to a `body` with errors of its own.
  ///
  /// - Parameter failure: What an error of the environment is for the caller.
  public func read<R: ~Copyable, Failure: Error>(
    failure: (EnvironmentError) -> Failure,
    _ body: (borrowing ReadTransaction) throws(Failure) -> R
  ) throws(Failure) -> R {
    let transaction: ReadTransaction
    do { transaction = try beginRead() } catch { throw failure(error) }
    return try body(transaction)
  }
}
