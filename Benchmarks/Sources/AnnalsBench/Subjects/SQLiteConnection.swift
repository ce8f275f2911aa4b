#if HAS_SQLITE
  import CSQLite

  /// A connection to one database file, closed when this ends. It is used by one thread at a time.
  @safe
  struct SQLiteConnection: ~Copyable {
    private let handle: OpaquePointer

    /// Opens the file at `path`, or creates it.
    init(path: String) throws(SQLiteFailure) {
      var opened: OpaquePointer?
      // Users of a connection have their own lock; a second one inside would only cost time.
      let code = unsafe sqlite3_open_v2(
        path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
      guard code == SQLITE_OK, let opened = unsafe opened else {
        // A failed open may leave a handle that is to be closed; closing none is allowed.
        unsafe sqlite3_close_v2(opened)
        throw SQLiteFailure(code: code, function: "sqlite3_open_v2")
      }
      unsafe handle = opened
    }

    deinit {
      // Unlike sqlite3_close, this also succeeds when statements of the connection end after it.
      unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements that give nothing back, or whose answer does not matter.
    func execute(_ sql: String) throws(SQLiteFailure) {
      try unsafe SQLiteFailure.check(sqlite3_exec(handle, sql, nil, nil, nil), sql)
    }

    /// Prepares a statement that is run many times.
    func prepare(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
      var prepared: OpaquePointer?
      try unsafe SQLiteFailure.check(
        sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil), sql)
      guard let prepared = unsafe prepared else { throw SQLiteFailure(code: SQLITE_MISUSE, function: sql) }
      return unsafe SQLiteStatement(prepared)
    }

    /// The only number that a query gives.
    func number(_ sql: String) throws(SQLiteFailure) -> Int {
      let statement = try prepare(sql)
      guard try statement.step() else { throw SQLiteFailure(code: SQLITE_DONE, function: sql) }
      return Int(statement.integer(0))
    }
  }
#endif
