import CLMDB
import Synchronization

extension Environment {
  /// The least space after the used pages with which a write transaction begins, if address space allows.
  private static let leastRoom = 1 << 20
  private static let mostRoom = 256 << 20
  /// The time that a new transaction waits for live ones to end before it continues without a larger map.
  private static let patience = Duration.seconds(1)
  private static let haste = Duration.milliseconds(50)
  /// The number of retries, a millisecond apart, of a transaction that LMDB refuses after a failed write of
  /// its meta page.
  private static let tries = 20

  /// Returns the bytes in use, including those that another process has added beyond this one's map; as
  /// ``gauge()``.
  private func used() throws(EnvironmentError) -> Int {
    (try gauge().lastPage + 1) * LMDB.pageSize
  }

  /// Begins LMDB's transaction and counts it as live. It first takes a larger map if another process has
  /// outgrown this one's.
  ///
  /// - Returns: LMDB's code; the transaction is only counted after success.
  func begin(_ flags: UInt32, _ begun: inout OpaquePointer?) throws(EnvironmentError) -> Int32 {
    try begin { () throws(EnvironmentError) in
      try unsafe mdb_txn_begin(pointer(), nil, flags, &begun)
    }
  }

  /// Calls `body`, which begins or renews a transaction; the transaction is live after success.
  func begin(_ body: () throws(EnvironmentError) -> Int32) throws(EnvironmentError) -> Int32 {
    var code = try enter(body)
    // The thread whose commit failed is about to reopen the environment. Until it closes the gate, the
    // failure is not an error for others.
    for _ in 0..<Self.tries where code == MDB_PANIC {
      WriterThread.pause(milliseconds: 1)
      code = try enter(body)
    }
    // Another process may grow the file again between the new map and the second try.
    for _ in 0..<2 where code == MDB_MAP_RESIZED {
      guard try growAlone() else { return code }
      code = try enter(body)
    }
    return code
  }

  /// Takes a map for the data that another process has added.
  ///
  /// - Returns: Whether the live transactions have ended in time.
  private func growAlone() throws(EnvironmentError) -> Bool {
    guard gate.close(within: Self.patience) else { return false }
    defer { gate.open() }
    guard try grow(beyond: used()) else {
      throw .lmdb(LMDBError(code: MDB_MAP_FULL, function: "mdb_env_set_mapsize"))
    }
    return true
  }

  /// Calls `body`, which begins or renews a transaction, and counts the transaction as live after success.
  private func enter(_ body: () throws(EnvironmentError) -> Int32) throws(EnvironmentError) -> Int32 {
    gate.enter()
    do {
      let code = try body()
      if code != MDB_SUCCESS { gate.leave() }
      return code
    } catch {
      gate.leave()
      throw error
    }
  }

  /// Takes a larger map before a write transaction that may fill this one.
  ///
  /// If that is not possible, for lack of address space or because of long reads, the transaction begins with
  /// the existing space.
  func makeRoom() throws(EnvironmentError) {
    let used = try inside { () throws(EnvironmentError) -> Int in try self.used() }
    let room = handle.mapSize - used
    let isWanted = wantsRoom.load(ordering: .relaxed)
    let enough = min(max(used / 4, Self.leastRoom), Self.mostRoom)
    guard isWanted || (room < enough && used >= nextGrowth.load(ordering: .relaxed)) else { return }
    wantsRoom.store(false, ordering: .relaxed)
    nextGrowth.store(used + max(room, 0) / 4, ordering: .relaxed)
    guard gate.close(within: isWanted ? Self.patience : Self.haste) else { return }
    defer { gate.open() }
    if try grow(beyond: max(used, handle.mapSize)) { nextGrowth.store(0, ordering: .relaxed) }
  }

  /// Takes a larger map if there is less than some room after the used pages, or less than half as much.
  ///
  /// If that is not possible now, for lack of address space or because of long reads, nothing changes. Do not
  /// call this inside a transaction.
  public func makeRoom(atLeast least: Int) throws(EnvironmentError) {
    let used = try inside { () throws(EnvironmentError) -> Int in try self.used() }
    let wanted = max(least, used / 2)
    guard handle.mapSize - used < wanted, used >= nextGrowth.load(ordering: .relaxed) else { return }
    nextGrowth.store(used + max(handle.mapSize - used, 0) / 4, ordering: .relaxed)
    guard gate.close(within: Self.haste) else { return }
    defer { gate.open() }
    if try grow(beyond: max(used + wanted, handle.mapSize)) { nextGrowth.store(0, ordering: .relaxed) }
  }

  /// Whether the last write transaction did not fit into the map. The next one begins with a larger one.
  public var needsLargerMap: Bool { wantsRoom.load(ordering: .relaxed) }

  /// Makes the next write transaction begin with a larger map if this one was too small for a change.
  func note(_ code: Int32) {
    if code == MDB_MAP_FULL { wantsRoom.store(true, ordering: .relaxed) }
  }

  /// Replaces the map with one for more than `least` bytes; only while the gate is closed.
  ///
  /// - Returns: Whether there is address space for it; if not, nothing was changed.
  private func grow(beyond least: Int) throws(EnvironmentError) -> Bool {
    // Another thread may have done it.
    if handle.mapSize > least { return true }
    for size in [least * 2, least / 2 * 3, least / 4 * 5] {
      let size = (size + Self.leastRoom) / LMDB.pageSize * LMDB.pageSize
      // LMDB releases the old map before it has the new one, so that must not fail.
      if EnvironmentHandle.isFree(size) {
        try handle.resize(to: size)
        return true
      }
    }
    return false
  }
}
