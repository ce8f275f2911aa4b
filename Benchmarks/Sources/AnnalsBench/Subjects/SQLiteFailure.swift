#if HAS_SQLITE
  import CSQLite

  /// A call of SQLite that failed.
  struct SQLiteFailure: Error, CustomStringConvertible {
    let code: Int32
    let function: String

    var description: String { unsafe "\(function): \(String(cString: sqlite3_errstr(code))) (\(code))" }

    /// Throws the code that a call returned, unless it is the expected one.
    @inline(__always)
    static func check(
      _ code: Int32, is expected: Int32 = SQLITE_OK, _ function: @autoclosure () -> String
    ) throws(SQLiteFailure) {
      guard code == expected else { throw SQLiteFailure(code: code, function: function()) }
    }
  }
#endif
