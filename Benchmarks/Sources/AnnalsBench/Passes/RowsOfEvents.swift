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
  /// One statement rewrites them in place, in one transaction.
  ///
  /// `@unchecked Sendable`: a run uses it from one trial at a time.
  final class RowsOfEvents: @unchecked Sendable {
    private let connection: SQLiteConnection
    private let entries: Int

    /// Creates and fills the table.
    ///
    /// The cache has room for every page, so that no page is written twice. The write-ahead log is emptied
    /// before each run.
    init(_ log: TypedLog, in directory: URL) throws {
      entries = log.entries
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
      let event = TypedLog.event
      let json =
        "{\"title\":\"\(event.title)\",\"reps\":\(event.reps),\"sets\":\(event.sets),\"weight\":\(event.weight),\"notes\":\"\(event.notes ?? "")\",\"at\":\(event.at)}"
      // Made by the library itself, in one transaction, because only the rewriting is timed.
      try connection.execute(
        """
        WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < \(log.entries))
        INSERT INTO events SELECT n + 1, printf('stream/%06d', n % \(log.streams)), n / \(log.streams), 'SetLogged', 1, n, '\(json)'
        FROM numbers;
        """)
    }

    /// Raises a field of every payload by one.
    func rewrite() throws -> Measurement {
      _ = try connection.number("PRAGMA wal_checkpoint(TRUNCATE)")
      let start = ContinuousClock.now
      try connection.execute(
        "UPDATE events SET version = 2, payload = json_set(payload, '$.reps', json_extract(payload, '$.reps') + 1)"
      )
      return Measurement(count: entries, in: start.duration(to: .now))
    }
  }
#endif
