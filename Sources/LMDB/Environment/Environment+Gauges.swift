import CLMDB

/// What LMDB knows of an environment as a whole.
public struct EnvironmentInfo: Hashable, Sendable {
  /// The address space set aside, in bytes.
  public let mapSize: Int
  /// The number of the last page in use, counted from 0.
  public let lastPage: Int
  /// The number of the last committed transaction.
  public let lastTransaction: UInt64
  /// How many slots for readers there are.
  public let maximumReaders: Int
  /// How many slots have ever been in use at a time.
  public let usedReaders: Int
}

/// A read transaction of some process.
public struct Reader: Hashable, Sendable {
  /// The process.
  public let process: Int32
  /// The number of the commit it reads; `nil` if it holds its slot without reading.
  public let transaction: UInt64?
}

/// How the pages of an environment are used.
public struct PageUse: Hashable, Sendable {
  /// All pages that were ever taken into use.
  public let total: Int
  /// The pages of all tables, of LMDB's own list of free pages, and the two meta pages.
  public let used: Int
  /// The pages that hold nothing: later commits take them as soon as no reader needs what they held.
  public var free: Int { total - used }
}

extension ReadTransaction {
  /// How the pages of the environment are used.
  ///
  /// Free pages are counted as those that nothing uses. The list of them is not read: that would cost a page for each
  /// commit that has freed some, and trust what they hold.
  ///
  /// - Complexity: O(tables).
  public func pageUse() throws(EnvironmentError) -> PageUse {
    // LMDB's list of free pages and its table of tables come before all others.
    var used = 2
    for number in [0, 1] + environment.tables.map(\.number) {
      let statistics = try statistics(ofTable: number)
      used += statistics.branchPages + statistics.leafPages + statistics.overflowPages
    }
    // As of the newest commit, which may be later than this snapshot; there are never fewer than before.
    return PageUse(total: max(try environment.gauge().lastPage + 1, used), used: used)
  }
}

extension Environment {
  /// The size of a page in bytes.
  public var pageSize: Int { LMDB.pageSize }

  /// The address space set aside now, in bytes. Also for use inside a transaction.
  public var mapSize: Int { handle.mapSize }

  /// What LMDB knows of the environment now.
  ///
  /// Not for use inside a transaction, nor are the others here: a map that is about to be replaced would wait for both.
  public func info() throws(EnvironmentError) -> EnvironmentInfo {
    try inside { () throws(EnvironmentError) in try gauge() }
  }

  /// What ``info()`` tells, for those whom the gate counts and the one who keeps it closed.
  func gauge() throws(EnvironmentError) -> EnvironmentInfo {
    var info = unsafe MDB_envinfo()
    try unsafe check(mdb_env_info(pointer(), &info), "mdb_env_info")
    return unsafe EnvironmentInfo(
      mapSize: Int(info.me_mapsize), lastPage: Int(info.me_last_pgno),
      lastTransaction: UInt64(bitPattern: Int64(info.me_last_txnid)), maximumReaders: Int(info.me_maxreaders),
      usedReaders: Int(info.me_numreaders))
  }

  /// The number of the last committed transaction of any process.
  ///
  /// Cheap enough to be asked often: no lock, no page is read but the two meta pages.
  public func lastTransaction() throws(EnvironmentError) -> UInt64 {
    try info().lastTransaction
  }

  /// Frees the slots of readers whose process has ended, so that the pages they kept can be used again.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func clearStaleReaders() throws(EnvironmentError) -> Int {
    guard lockFile != nil else { return 0 }
    return try inside { () throws(EnvironmentError) in
      var dead: Int32 = 0
      try unsafe check(mdb_reader_check(pointer(), &dead), "mdb_reader_check")
      return Int(dead)
    }
  }

  /// The read transactions of all processes.
  public func readers() throws(EnvironmentError) -> [Reader] {
    let text = try inside { () throws(EnvironmentError) in try readerList() }
    // Process, thread and transaction in columns below a line of headings; LMDB has no other form.
    return text.split(separator: "\n").compactMap { line in
      let columns = line.split(separator: " ", omittingEmptySubsequences: true)
      guard columns.count == 3, let process = Int32(columns[0]) else { return nil }
      return Reader(process: process, transaction: UInt64(columns[2]))
    }
  }

  /// Whether this process has a read transaction.
  public func isReadFromHere() throws(EnvironmentError) -> Bool {
    try readers().contains { $0.process == process && $0.transaction != nil }
  }

  /// LMDB's own list of readers, a line for each.
  private func readerList() throws(EnvironmentError) -> String {
    var text = ""
    let code = unsafe try withUnsafeMutablePointer(to: &text) { (text) throws(EnvironmentError) in
      unsafe mdb_reader_list(
        try pointer(),
        { line, text in
          if let line = unsafe line, let text = unsafe text?.assumingMemoryBound(to: String.self) {
            unsafe text.pointee += String(cString: line)
          }
          return 0
        }, text)
    }
    guard code >= 0 else { throw .lmdb(LMDBError(code: code, function: "mdb_reader_list")) }
    return text
  }

  /// Lets the system begin to write what was committed, so that a later ``synchronize()`` has less to wait for (`sync_file_range(2)`).
  ///
  /// It promises nothing about what the disk has.
  public func startWriteback() throws(EnvironmentError) {
    try inside { () throws(EnvironmentError) in
      // What the call does not do now, the synchronisation does.
      _ = lmdb_start_writeback(try handle.descriptor())
    }
  }

  /// Waits until the disk has all that was committed.
  public func synchronize() throws(EnvironmentError) {
    try inside { () throws(EnvironmentError) in try unsafe check(mdb_env_sync(pointer(), 1), "mdb_env_sync") }
  }
}
