import Synchronization

extension Environment {
  /// The number of checks of the meta pages, and the milliseconds between two. Another process may be writing
  /// its own while the disk is slow.
  private static let looks = 100
  private static let pause: UInt32 = 10

  /// Closes LMDB's environment and opens it again on the same file. Only that ends the state after a failed
  /// write of the meta page.
  ///
  /// Other users in the process notice nothing: transactions and calls that begin meanwhile wait, and this
  /// object and its tables remain valid. The file is checked as by the first open. The calling thread must
  /// have no transaction and no turn, because `open.lock` is taken inside and never follows `write.lock`.
  ///
  /// - Parameter limit: The longest time to wait for live transactions, and for others that open or close the
  ///   file.
  /// - Returns: Whether it was opened again; if not, because others did not end in time, nothing has changed.
  /// - Throws: Any error of an open. If the file was closed by then, each use throws LMDB's `MDB_PANIC` until
  ///   a later call succeeds.
  public func reopen(within limit: Duration) throws(EnvironmentError) -> Bool {
    try mustBeOwn()
    guard access == .readWrite, let locks else { throw .readOnly }
    let end = ContinuousClock.now + limit
    // The gate comes first, so that no new caller encounters the state. No caller that waits at it has
    // `open.lock` or the registry's lock.
    guard closeGate(until: end) else { return false }
    defer { gate.open() }
    let hold: FileLock.Hold?
    if guards.contains(.opening) {
      hold = try files { () throws(StoreFileError) in try locks.open.lock(.exclusive, until: end) }
      if hold == nil { return false }
    } else {
      hold = nil
    }
    try files { () throws(StoreFileError) in try checkNames() }
    try EnvironmentRegistry.exclusively { (_) throws(EnvironmentError) in try replace(locks) }
    _ = consume hold
    return true
  }

  /// Makes new transactions and calls wait until there are none.
  ///
  /// - Returns: Whether there are none; if not, the gate is open.
  private func closeGate(until end: ContinuousClock.Instant) -> Bool {
    while true {
      guard gate.close(within: ContinuousClock.now.duration(to: end)) else { return false }
      // Those were tied while the gate counted them, so that none is missed.
      if ties.load(ordering: .acquiring) == 0 { return true }
      gate.open()
      WriterThread.pause(milliseconds: 1)
    }
  }

  /// Closes and opens the environment while the gate is closed and the registry's lock is held.
  private func replace(_ locks: EnvironmentLocks) throws(EnvironmentError) {
    // The new map is as large as the one that has grown.
    let room = handle.mapSize > 0 ? handle.mapSize : options.mapSize
    var options = options
    options.create = false
    options.mapSize = room
    // Tables that were opened later are needed now, in the same order.
    let known = tables + laterTables.withLock { $0 }
    options.laterTables.removeAll { definition in known.contains { $0.definition == definition } }
    let opening = Opening(
      name: name, directory: directory, definitions: known.map(\.definition), locks: locks, options: options,
      usesLockFile: lockFile != nil)
    try mustBeWhole(files { () throws(StoreFileError) in try directory.status(of: name) })
    handle.close()
    let opened = try open(opening, room)
    do throws(EnvironmentError) {
      try mustBeWhole(opened.data)
      guard opened.lockFile?.identity == lockFile?.identity else {
        throw .file(.lockFileDamaged(file: name + "-lock"))
      }
      // All users have LMDB's numbers for the tables, which follow from the order in which they are opened.
      guard opened.tables == known else { throw .openedOtherwise(file: name) }
    } catch {
      opened.handle.close()
      throw error
    }
    if !opened.later.isEmpty { laterTables.withLock { $0 += opened.later } }
    handle.adopt(opened.handle)
  }

  private func open(_ opening: Opening, _ room: Int) throws(EnvironmentError) -> Opening.Opened {
    var look = 1
    while true {
      do {
        // A file that ends before its last page already did so at the first check; it has not become shorter
        // since.
        return try opening.open(opening.data(), room, guards.contains(.snapshot) ? .none : .ignore)
      } catch .wrongTransactionID where look < Self.looks {
        // A writer's lock would make this wait; but a writer of this process may have it, and wait at the
        // gate.
        look += 1
        WriterThread.pause(milliseconds: Self.pause)
      }
    }
  }

  /// Checks that it is the same file, and not shorter than ever observed.
  private func mustBeWhole(_ status: FileStatus?) throws(EnvironmentError) {
    guard let status, status.identity == dataIdentity else { throw .file(.replaced(file: name)) }
    let known = knownSize.load(ordering: .relaxed)
    guard status.size >= known else { throw .file(.truncated(file: name, have: status.size, need: known)) }
  }
}

extension FileLock {
  /// Takes the lock, and waits for it until the time has expired.
  ///
  /// - Returns: `nil` if another process still has it then.
  fileprivate func lock(_ mode: Mode, until end: ContinuousClock.Instant) throws(StoreFileError) -> Hold? {
    while true {
      if let hold = try tryLock(mode) { return hold }
      if ContinuousClock.now >= end { return nil }
      WriterThread.pause(milliseconds: 1)
    }
  }
}
