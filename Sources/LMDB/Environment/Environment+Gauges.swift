import CLMDB
import Synchronization

/// LMDB's information about an environment as a whole.
public struct EnvironmentInfo: Hashable, Sendable {
  /// The reserved address space, in bytes.
  public let mapSize: Int
  /// The number of the last page in use, counted from 0.
  public let lastPage: Int
  /// The number of the last committed transaction.
  public let lastTransaction: UInt64
  /// The number of reader slots.
  public let maximumReaders: Int
  /// The largest number of reader slots ever in use at a time.
  public let usedReaders: Int
}

/// A read transaction of some process.
public struct Reader: Hashable, Sendable {
  /// The process.
  public let process: Int32
  /// The number of the commit it reads; `nil` if it has its slot without reading.
  public let transaction: UInt64?
}

/// The use of the pages of an environment.
public struct PageUse: Hashable, Sendable {
  /// All pages that were ever used.
  public let total: Int
  /// The pages of all tables, of LMDB's own list of free pages, and the two meta pages.
  public let used: Int
  /// The unused pages. Later commits reuse them as soon as no reader needs their former contents.
  public var free: Int { total - used }
}

extension ReadTransaction {
  /// Returns the use of the environment's pages.
  ///
  /// Free pages are counted as the pages that nothing uses. The list of free pages is not read: that would
  /// cost a page for each commit that has freed some, and would rely on their contents.
  ///
  /// - Complexity: O(tables).
  public func pageUse() throws(EnvironmentError) -> PageUse {
    // LMDB's list of free pages and its table of tables precede all others.
    var used = 2
    let tables = environment.tables + environment.laterTables.withLock { $0 }
    for number in [0, 1] + tables.map(\.number) {
      let statistics = try statistics(ofTable: number)
      used += statistics.branchPages + statistics.leafPages + statistics.overflowPages
    }
    // The gauge is as of the newest commit, which may be later than this snapshot; the number of pages never
    // shrinks.
    return PageUse(total: max(try environment.gauge().lastPage + 1, used), used: used)
  }
}

extension Environment {
  /// The size of a page in bytes.
  public var pageSize: Int { LMDB.pageSize }

  /// The reserved address space, in bytes. It may be read inside a transaction.
  public var mapSize: Int { handle.mapSize }

  /// Returns LMDB's current information about the environment.
  ///
  /// Do not call this inside a transaction, nor the other functions here: a pending replacement of the map
  /// would wait for both.
  public func info() throws(EnvironmentError) -> EnvironmentInfo {
    try inside { () throws(EnvironmentError) in try gauge() }
  }

  /// Returns the same as ``info()``, for callers that the gate counts and the one that keeps it closed.
  func gauge() throws(EnvironmentError) -> EnvironmentInfo {
    var info = unsafe MDB_envinfo()
    try unsafe check(mdb_env_info(pointer(), &info), "mdb_env_info")
    return unsafe EnvironmentInfo(
      mapSize: Int(info.me_mapsize), lastPage: Int(info.me_last_pgno),
      lastTransaction: UInt64(bitPattern: Int64(info.me_last_txnid)), maximumReaders: Int(info.me_maxreaders),
      usedReaders: Int(info.me_numreaders))
  }

  /// Returns the number of the last committed transaction of any process.
  ///
  /// It is cheap enough for frequent calls: it takes no lock and reads only the two meta pages.
  public func lastTransaction() throws(EnvironmentError) -> UInt64 {
    try info().lastTransaction
  }

  /// Frees the slots of readers whose process has ended, so that the pages that they kept can be reused.
  ///
  /// - Returns: The number of such readers.
  @discardableResult
  public func clearStaleReaders() throws(EnvironmentError) -> Int {
    guard lockFile != nil else { return 0 }
    return try inside { () throws(EnvironmentError) in
      var dead: Int32 = 0
      try unsafe check(mdb_reader_check(pointer(), &dead), "mdb_reader_check")
      return Int(dead)
    }
  }

  /// Returns the read transactions of all processes.
  public func readers() throws(EnvironmentError) -> [Reader] {
    let text = try inside { () throws(EnvironmentError) in try readerList() }
    // LMDB only has a text form: process, thread and transaction in columns below a line of headings.
    return text.split(separator: "\n").compactMap { line in
      let columns = line.split(separator: " ", omittingEmptySubsequences: true)
      guard columns.count == 3, let process = Int32(columns[0]) else { return nil }
      return Reader(process: process, transaction: UInt64(columns[2]))
    }
  }

  /// Returns whether this process has a read transaction.
  public func isReadFromHere() throws(EnvironmentError) -> Bool {
    try readers().contains { $0.process == process && $0.transaction != nil }
  }

  /// Returns LMDB's own list of readers, one per line.
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

  /// Asks the system to begin writing committed data, so that a later ``synchronize()`` has less to wait for
  /// (`sync_file_range(2)`).
  ///
  /// It makes no promise about durability.
  public func startWriteback() throws(EnvironmentError) {
    try inside { () throws(EnvironmentError) in
      // The synchronisation does anything that this call does not.
      _ = lmdb_start_writeback(try handle.descriptor())
    }
  }

  /// Waits until all committed data is on disk.
  ///
  /// After a failure, and before the first commit, only a commit knows that: see ``isCertainAfterFlush``.
  public func synchronize() throws(EnvironmentError) {
    do {
      try inside { () throws(EnvironmentError) in
        try unsafe check(mdb_env_sync(pointer(), 1), "mdb_env_sync")
      }
    } catch {
      flushesTwice.store(true, ordering: .relaxed)
      throw error
    }
  }

  /// Whether a flush of the file makes everything durable that was committed. After a failed flush the system
  /// may take pages for written that are not.
  public var isCertainAfterFlush: Bool { !flushesTwice.load(ordering: .relaxed) }
}
