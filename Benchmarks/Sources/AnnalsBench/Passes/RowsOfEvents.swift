#if HAS_SQLITE
  import CSQLite
  import TypedSchemas

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The same events as rows of SQLite, each payload a JSON object.
  ///
  /// One statement rewrites them in place, in one transaction, or they are read.
  ///
  /// `@unchecked Sendable`: a run uses it from one trial at a time.
  final class RowsOfEvents: @unchecked Sendable {
    let connection: SQLiteConnection
    private let entries: Int

    /// Creates the table and fills it with the events of `log`.
    convenience init(_ log: TypedLog, in directory: URL) throws {
      let event = TypedLog.event
      let json =
        "{\"title\":\"\(event.title)\",\"reps\":\(event.reps),\"sets\":\(event.sets),\"weight\":\(event.weight),\"notes\":\"\(event.notes ?? "")\",\"at\":\(event.at)}"
      try self.init(json, entries: log.entries, streams: log.streams, in: directory)
    }

    /// Creates the table and fills it with one event, a JSON object without apostrophes, so many times.
    ///
    /// The cache has room for every page, so that no page is written twice. The write-ahead log is emptied
    /// before each run.
    init(_ json: String, entries: Int, streams: Int, in directory: URL) throws {
      self.entries = entries
      connection = try SQLiteConnection(path: directory.appendingPathComponent("rows.sqlite").path)
      try connection.execute(
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA cache_size = -4000000;
        PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE events (
          position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, type TEXT NOT NULL,
          version INTEGER NOT NULL, time INTEGER NOT NULL, payload TEXT NOT NULL, UNIQUE (stream, revision));
        """)
      // Made by the library itself, in one transaction, because only the rewriting is timed.
      try connection.execute(
        """
        WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < \(entries))
        INSERT INTO events SELECT n + 1, printf('stream/%06d', n % \(streams)), n / \(streams), 'SetLogged', 1, n, '\(json)'
        FROM numbers;
        """)
      try emptyLog()
    }

    /// Brings all pages from the write-ahead log into the file.
    private func emptyLog() throws { _ = try connection.number("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// Raises a field of every payload by one.
    func rewrite() throws -> Measurement {
      try emptyLog()
      let start = ContinuousClock.now
      try connection.execute(
        "UPDATE events SET version = 2, payload = json_set(payload, '$.reps', json_extract(payload, '$.reps') + 1)"
      )
      return Measurement(count: entries, in: start.duration(to: .now))
    }
  }
#endif
