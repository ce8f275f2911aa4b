#if HAS_SQLITE
  import Annals
  import TypedSchemas

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The tree of files, folded into SQLite as fast as possible.
  ///
  /// It uses one table without row ids, no journal, no flush, one transaction and prepared statements.
  struct SQLiteTree {
    /// Folds the whole store into a new file.
    ///
    /// - Returns: How many files there are at the end.
    static func fold(_ store: EventStore<Only<Repository>>, into file: URL) throws -> Int {
      let connection = try SQLiteConnection(path: file.path)
      try connection.execute(
        """
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        PRAGMA locking_mode = EXCLUSIVE;
        PRAGMA cache_size = -262144;
        CREATE TABLE files (path TEXT PRIMARY KEY, mode TEXT NOT NULL, blob TEXT NOT NULL) WITHOUT ROWID;
        BEGIN;
        """)
      let put = try connection.prepare("INSERT OR REPLACE INTO files VALUES (?1, ?2, ?3)")
      let remove = try connection.prepare("DELETE FROM files WHERE path = ?1")
      try store.read { (snapshot) throws in
        var entries = try snapshot.entries()
        while let entry = try entries.next() {
          switch entry.event {
          case .fileChanged(let change):
            if let mode = change.mode, let blob = change.blob {
              try run(put, change.path, mode, blob)
            } else {
              try run(remove, change.path)
            }
          }
        }
      }
      try connection.execute("COMMIT")
      return try connection.number("SELECT count(*) FROM files")
    }

    @inline(__always)
    private static func run(_ statement: borrowing SQLiteStatement, _ path: String) throws(SQLiteFailure) {
      var path = path
      let result = path.withUTF8 { path in
        Result { () throws(SQLiteFailure) in
          defer { statement.reset() }
          try unsafe statement.bind(text: path, at: 1)
          _ = try statement.step()
        }
      }
      try result.get()
    }

    @inline(__always)
    private static func run(
      _ statement: borrowing SQLiteStatement, _ path: String, _ mode: String, _ blob: String
    ) throws(SQLiteFailure) {
      var (path, mode, blob) = (path, mode, blob)
      let result = path.withUTF8 { path in
        mode.withUTF8 { mode in
          blob.withUTF8 { blob in
            Result { () throws(SQLiteFailure) in
              defer { statement.reset() }
              try unsafe statement.bind(text: path, at: 1)
              try unsafe statement.bind(text: mode, at: 2)
              try unsafe statement.bind(text: blob, at: 3)
              _ = try statement.step()
            }
          }
        }
      }
      try result.get()
    }
  }
#endif
