import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A change of the tables that is applied as a whole or not at all.
///
/// It is aborted if its value's life ends without ``commit()``. It must end on the thread that began it.
@safe
public struct WriteTransaction: ~Copyable, TableReading {
  /// The most bytes of a value; above that LMDB 0.9 fails late (OpenLDAP ITS#10054).
  public static let maximumValueCount = 1 << 30

  /// The time for which readers and other openers may keep the environment from being reopened.
  private static let patience = Duration.seconds(2)

  /// The data file's own lock; `nil` only in tests that show its purpose.
  private var file: DataLock?

  /// `write.lock`. It is declared before the environment, so that it is released before the last use of the
  /// environment closes that under `open.lock`.
  private var hold: FileLock.Hold?

  /// The environment, which stays open as long as the transaction.
  public let environment: Environment

  /// The transaction for LMDB.
  public let handle: TransactionHandle

  /// Only its own value keeps the transaction open.
  public var slot: ReadSlot? { nil }

  private let thread = currentThread()
  private var hasEnded = false
  private let durability: Durability
  /// The changes so far, for the journal; `nil` if the commit will not use it.
  var record: CommitRecord?

  /// A cursor for each table that was written in order, by the table's number; LMDB frees them with the
  /// transaction.
  private var cursors: [OpaquePointer?] = unsafe []

  init(
    environment: Environment, pointer: OpaquePointer, hold: consuming FileLock.Hold?,
    file: consuming DataLock?, durability: Durability, isRecorded: Bool
  ) {
    self.environment = environment
    self.durability = durability
    record = isRecorded ? CommitRecord(limit: CommitJournal.slotSize) : nil
    unsafe handle = TransactionHandle(pointer: pointer)
    self.hold = hold
    self.file = file
  }

  deinit {
    // In a child process the transaction belongs to the parent.
    guard !hasEnded, !environment.isInherited else { return }
    precondition(thread == currentThread(), "a write transaction ends on the thread that began it")
    unsafe mdb_txn_abort(handle.pointer)
    environment.gate.leave()
  }

  /// Returns the transaction's own cursor in a table, which saves LMDB the search from the root for a key
  /// next to the last one.
  mutating func cursor(in table: Table) throws(EnvironmentError) -> OpaquePointer {
    let index = Int(table.number)
    if unsafe index < cursors.count, let cursor = unsafe cursors[index] { return unsafe cursor }
    var opened: OpaquePointer?
    try unsafe check(mdb_cursor_open(handle.pointer, table.number, &opened), "mdb_cursor_open")
    guard let opened = unsafe opened else {
      throw .lmdb(LMDBError(code: MDB_BAD_TXN, function: "mdb_cursor_open"))
    }
    while unsafe cursors.count <= index { unsafe cursors.append(nil) }
    unsafe cursors[index] = opened
    return unsafe opened
  }

  /// Ends the transaction without changes.
  public consuming func abort() {}

  /// Makes the changes visible to all later transactions, and durable as far as the environment's options
  /// require.
  ///
  /// - Throws: `notCommitted` if nothing is stored; `panicked` if only a later transaction shows that;
  ///   `unconfirmed` if it is unknown until all processes have closed the file.
  public consuming func commit() throws(EnvironmentError) {
    try commit { _ in }
  }

  /// Makes the changes visible as ``commit()`` does, and calls `settle` with whether that is certain before
  /// another writer may begin.
  public consuming func commit(settling settle: (Bool) -> Void) throws(EnvironmentError) {
    do throws(EnvironmentError) { try finish() } catch {
      settle(false)
      if case .panicked = error, hasEnded {
        // The turn ends first: `open.lock` never follows `write.lock`.
        file = nil
        hold = nil
        // If something prevents it, the next transaction reports that.
        _ = try? environment.reopen(within: Self.patience)
      }
      throw error
    }
    settle(true)
  }

  private mutating func finish() throws(EnvironmentError) {
    let pointer = try unsafe environment.pointer()
    precondition(thread == currentThread(), "a write transaction ends on the thread that began it")
    let number = id
    let isInJournal: Bool
    do throws(EnvironmentError) { isInJournal = try prepareCommit() } catch {
      // A record may be there although its write is reported as failed, and the next open would repeat it.
      if environment.mayHaveRecord(of: number) {
        do { try environment.withdrawRecord(of: number) } catch {
          throw .panicked(LMDBError(code: EIO, function: "pwrite"))
        }
      }
      throw error
    }
    if isInJournal { try unsafe environment.set(.relaxed, of: pointer) }
    // LMDB frees the transaction regardless of the commit's result.
    hasEnded = true
    // The code after the commit may still read from the map.
    defer { environment.gate.leave() }
    let code = unsafe mdb_txn_commit(handle.pointer)
    environment.note(code)
    if code == MDB_SUCCESS {
      // A commit without changes has flushed nothing, and has no number.
      if durability != .none, !isInJournal, environment.flushesTwice.load(ordering: .relaxed),
        environment.isLast(number)
      {
        environment.flushesTwice.store(false, ordering: .relaxed)
      }
      // If a lock file was replaced since the beginning, another writer may have started that does not see
      // this commit and overwrites it.
      do { try environment.checkNames() } catch { throw .unconfirmed(error) }
      // The same if the file was truncated: the entries are stored, and may be lost.
      do { try environment.checkSize() } catch .file(let error) { throw .unconfirmed(error) }
      return
    }
    // After a failed flush the system may take pages for written that never reached the disk.
    environment.flushesTwice.store(true, ordering: .relaxed)
    let cause = LMDBError(code: environment.cause(of: code), function: "mdb_txn_commit")
    // LMDB reports a failed write of the meta page only to later transactions. A write transaction finds out
    // without a reader slot, which may be unavailable, and without new memory. Only its success proves that
    // nothing is stored.
    var probe: OpaquePointer?
    let state = unsafe mdb_txn_begin(pointer, nil, 0, &probe)
    if let probe = unsafe probe, state == MDB_SUCCESS { unsafe mdb_txn_abort(probe) }
    guard state == MDB_SUCCESS else { throw .panicked(cause) }
    if isInJournal {
      // A record that stays would be repeated after a power cut.
      do { try environment.withdrawRecord(of: number) } catch { throw .panicked(cause) }
    }
    throw .notCommitted(cause)
  }
}
