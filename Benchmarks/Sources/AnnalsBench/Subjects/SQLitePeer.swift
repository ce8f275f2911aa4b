#if HAS_SQLITE
  import Synchronization

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// SQLite as one would build an event log on it by hand: a table of events, unique by stream and revision,
  /// in WAL mode.
  ///
  /// Commits are as durable as those of Annals: `synchronous=FULL` flushes the WAL at each. A query for
  /// `max(revision)` of the stream finds the next revision, one step into the unique index. An INSERT that
  /// finds it by itself took half as long again. Statements are prepared once, and the cache of pages has 64
  /// MiB, thirty times the default.
  ///
  /// `@unchecked Sendable`: connection and statements are only used while `lock` is held.
  final class SQLitePeer: StreamReader, @unchecked Sendable {
    static let name = "sqlite"

    private static let file = "bench.sqlite"
    private static let columns = "position, stream, revision, type, version, time, payload"

    private let lock = Mutex(())
    private let connection: SQLiteConnection
    private let selectHead, insert, selectAll, selectStream, selectOne: SQLiteStatement

    /// Relaxed: `synchronous=NORMAL` flushes at checkpoints alone, so a power loss may take all commits since
    /// the last one.
    convenience init(creatingIn directory: URL, _ durability: Durability) throws {
      try self.init(at: directory, synchronous: durability == .relaxed ? "NORMAL" : "FULL")
    }

    convenience init(openingIn directory: URL) throws {
      try self.init(at: directory, synchronous: "FULL")
    }

    private init(at directory: URL, synchronous: String) throws(SQLiteFailure) {
      connection = try SQLiteConnection(path: directory.appendingPathComponent(Self.file).path)
      try connection.execute(
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = \(synchronous);
        PRAGMA cache_size = -65536;
        CREATE TABLE IF NOT EXISTS events (
          position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, type TEXT NOT NULL,
          version INTEGER NOT NULL, time INTEGER NOT NULL, payload BLOB NOT NULL, UNIQUE (stream, revision));
        """)
      selectHead = try connection.prepare("SELECT max(revision) FROM events WHERE stream = ?1")
      insert = try connection.prepare(
        """
        INSERT INTO events (stream, revision, type, version, time, payload) VALUES (?1, ?2, 'Sampled', 1, ?3, ?4)
        """)
      selectAll = try connection.prepare("SELECT \(Self.columns) FROM events ORDER BY position")
      selectStream = try connection.prepare(
        "SELECT \(Self.columns) FROM events WHERE stream = ?1 ORDER BY revision")
      selectOne = try connection.prepare(
        "SELECT \(Self.columns) FROM events WHERE stream = ?1 AND revision = ?2")
    }

    /// Closing is done when the subject is released.
    static func waitUntilClosed(in directory: URL) {}

    /// One event and the name of its stream.
    struct Row: Sendable {
      var stream: String
      let payload: [UInt8]
    }

    static func prepare(_ events: [SampleEvent]) -> [Row] {
      events.map { Row(stream: $0.streamName, payload: $0.payload) }
    }

    func append(_ rows: [Row]) async throws {
      try store(rows)
    }

    func append(blocking rows: [Row]) throws {
      try store(rows)
    }

    /// All of it on one thread, because a lock is held.
    private func store(_ rows: [Row]) throws(SQLiteFailure) {
      let time = Int64(Date.now.timeIntervalSince1970 * 1_000_000)
      try lock.withLock { _ throws(SQLiteFailure) in
        try connection.execute("BEGIN IMMEDIATE")
        do throws(SQLiteFailure) {
          for row in rows { try insert(row, time) }
          try connection.execute("COMMIT")
        } catch {
          try connection.execute("ROLLBACK")
          throw error
        }
      }
    }

    @inline(__always)
    private func insert(_ row: Row, _ time: Int64) throws(SQLiteFailure) {
      var row = row
      defer { insert.reset() }
      let result = row.stream.withUTF8 { stream in
        unsafe row.payload.withUnsafeBufferPointer { payload in
          Result { () throws(SQLiteFailure) in
            try unsafe insert.bind(text: stream, at: 1)
            try unsafe insert.bind(nextRevision(of: stream), at: 2)
            try insert.bind(time, at: 3)
            try unsafe insert.bind(bytes: payload, at: 4)
            _ = try insert.step()
          }
        }
      }
      try result.get()
    }

    @inline(__always)
    private func nextRevision(of stream: UnsafeBufferPointer<UInt8>) throws(SQLiteFailure) -> Int64 {
      defer { selectHead.reset() }
      try unsafe selectHead.bind(text: stream, at: 1)
      // Without a row of the stream there is no greatest, but a row that says so.
      guard try selectHead.step(), !selectHead.isNull(0) else { return 0 }
      return selectHead.integer(0) + 1
    }

    func scan() throws -> ScanTotal {
      try lock.withLock { _ throws(SQLiteFailure) in
        defer { selectAll.reset() }
        var total = ScanTotal()
        while try selectAll.step() {
          total.entries += 1
          total.digest &+= unsafe ScanTotal.sum(selectAll.bytes(6))
        }
        return total
      }
    }

    func read(stream: Int) throws -> Int {
      try lock.withLock { _ throws(SQLiteFailure) in
        try rows(of: selectStream, stream: stream, revision: nil)
      }
    }

    func read(stream: Int, revision: Int) throws -> Int {
      try lock.withLock { _ throws(SQLiteFailure) in
        try rows(of: selectOne, stream: stream, revision: revision)
      }
    }

    /// Copies what a program would keep of each row; gives how many there were.
    private func rows(
      of statement: borrowing SQLiteStatement, stream: Int, revision: Int?
    ) throws(SQLiteFailure) -> Int {
      var name = SampleEvent.name(ofStream: stream)
      let result = name.withUTF8 { name in
        Result { () throws(SQLiteFailure) in
          defer { statement.reset() }
          try unsafe statement.bind(text: name, at: 1)
          if let revision { try statement.bind(Int64(revision), at: 2) }
          var count = 0
          while try statement.step() {
            let type = unsafe String(decoding: statement.bytes(3), as: UTF8.self)
            let payload = unsafe [UInt8](statement.bytes(6))
            if !type.isEmpty, !payload.isEmpty { count += 1 }
          }
          return count
        }
      }
      return try result.get()
    }

    static func bytesStored(in directory: URL) throws -> Int {
      let connection = try SQLiteConnection(path: directory.appendingPathComponent(file).path)
      let pages =
        try connection.number("PRAGMA page_count") - connection.number("PRAGMA freelist_count")
      return try pages * connection.number("PRAGMA page_size")
    }
  }
#endif
