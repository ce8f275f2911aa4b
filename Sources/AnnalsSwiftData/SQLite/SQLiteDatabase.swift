internal import Annals
internal import CAnnalsSQLite

/// An open SQLite file: the copy of a source, never the source itself.
///
/// One thread at a time uses it. `unsafe`: SQLite takes pointers. They live until `deinit`, or for a call.
@safe final class SQLiteDatabase {
  private let handle: OpaquePointer
  /// The name of the source in messages.
  let name: String

  /// Opens the file at `path`.
  ///
  /// It may be written to, because SQLite first applies the committed pages of a `-wal` or `-journal` file
  /// next to it. Afterwards nothing can be written.
  ///
  /// - Parameter name: The name of the source in messages.
  /// - Throws: ``AnnalsError`` with code `notAStore` for a file of another kind, `damaged` or `inputOutput`.
  init(path: String, name: String) throws(AnnalsError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let status = unsafe sqlite3_open_v2(path, &handle, flags, nil)
    guard status == SQLITE_OK, let handle = unsafe handle else {
      let failure = unsafe SQLiteFailure(status, handle)
      unsafe sqlite3_close_v2(handle)
      throw failure.error(in: name)
    }
    unsafe self.handle = handle
    self.name = name
    // Nothing that the file defines is run: neither functions in its views and indexes, nor writes.
    for line in ["PRAGMA trusted_schema=OFF", "PRAGMA cell_size_check=ON", "PRAGMA query_only=ON"] {
      let statement = try SQLiteStatement(line, self)
      while try statement.step() {}
    }
  }

  deinit {
    unsafe sqlite3_close_v2(handle)
  }

  /// Returns all rows of a query.
  func rows(_ query: String, _ arguments: [SQLiteValue] = []) throws(AnnalsError) -> [[SQLiteValue]] {
    let statement = try SQLiteStatement(query, self, arguments)
    var rows: [[SQLiteValue]] = []
    while try statement.step() { rows.append(statement.row) }
    return rows
  }

  /// Calls `body` with each row of a query.
  func each(
    _ query: String, _ arguments: [SQLiteValue] = [],
    _ body: ([SQLiteValue]) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    let statement = try SQLiteStatement(query, self, arguments)
    while try statement.step() { try body(statement.row) }
  }

  /// Checks the structure of the file.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` and SQLite's first finding.
  /// - Complexity: O(bytes of the file).
  func check() throws(AnnalsError) {
    let finding: String
    do throws(AnnalsError) {
      finding = try rows("PRAGMA quick_check(1)").first?.first?.text ?? "nothing was found"
    } catch {
      // An index with a function or an order of the app cannot be checked here, and is not needed.
      guard let failure = error.underlying as? SQLiteFailure, failure.status & 0xff == SQLITE_ERROR else {
        throw error
      }
      return
    }
    guard finding == "ok" else {
      throw AnnalsError(
        .damaged,
        "'\(name)' is damaged: SQLite reports '\(finding)'; restore the file from a backup, or copy what can "
          + "be read with 'sqlite3 FILE .recover'")
    }
  }

  /// Returns the failure of the last call.
  fileprivate func failure(_ status: Int32) -> AnnalsError {
    unsafe SQLiteFailure(status, handle).error(in: name)
  }

  fileprivate func prepare(_ query: String) throws(AnnalsError) -> OpaquePointer {
    var statement: OpaquePointer?
    let status = unsafe sqlite3_prepare_v2(handle, query, -1, &statement, nil)
    guard status == SQLITE_OK, let statement = unsafe statement else { throw failure(status) }
    return unsafe statement
  }

  /// A name as a part of a query.
  static func quoted(_ name: String) -> String {
    "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}

/// A query that is being run.
@safe private final class SQLiteStatement {
  private let statement: OpaquePointer
  private let database: SQLiteDatabase

  init(
    _ query: String, _ database: SQLiteDatabase, _ arguments: [SQLiteValue] = []
  ) throws(AnnalsError) {
    self.database = database
    unsafe statement = try database.prepare(query)
    for (index, value) in arguments.enumerated() {
      let place = Int32(index + 1)
      let status =
        switch value {
        case .integer(let number): unsafe sqlite3_bind_int64(statement, place, number)
        case .text(let text):
          // The bytes are copied, because the text does not outlive the call.
          unsafe sqlite3_bind_text(
            statement, place, text, -1, unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        default: unsafe sqlite3_bind_null(statement, place)
        }
      guard status == SQLITE_OK else { throw database.failure(status) }
    }
  }

  deinit {
    unsafe sqlite3_finalize(statement)
  }

  /// Moves to the next row; returns whether there is one.
  func step() throws(AnnalsError) -> Bool {
    switch unsafe sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let status: throw database.failure(status)
    }
  }

  /// The values of the current row.
  var row: [SQLiteValue] {
    (0..<(unsafe sqlite3_column_count(statement))).map { value(at: $0) }
  }

  private func value(at column: Int32) -> SQLiteValue {
    switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let start = unsafe sqlite3_column_text(statement, column)
      let bytes = unsafe bytes(from: start.map { unsafe UnsafeRawPointer($0) }, at: column)
      return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .malformedText(bytes)
    case SQLITE_BLOB:
      return .blob(unsafe bytes(from: unsafe sqlite3_column_blob(statement, column), at: column))
    default: return .null
    }
  }

  private func bytes(from start: UnsafeRawPointer?, at column: Int32) -> [UInt8] {
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    return unsafe start.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
  }
}

/// A status of SQLite, with its words.
private struct SQLiteFailure: Error {
  let status: Int32
  let message: String

  init(_ status: Int32, _ handle: OpaquePointer?) {
    self.status = status
    let words = unsafe handle.flatMap { unsafe sqlite3_errmsg($0) } ?? sqlite3_errstr(status)
    message = unsafe words.map { unsafe String(cString: $0) } ?? "status \(status)"
  }

  func error(in name: String) -> AnnalsError {
    let (code, text): (AnnalsError.Code, String) =
      switch status & 0xff {
      case SQLITE_NOTADB:
        (
          .notAStore,
          "'\(name)' is no SQLite file, or it is encrypted; name the file that the app's store is in"
        )
      case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_FORMAT, SQLITE_SCHEMA:
        (.damaged, "'\(name)' cannot be read: SQLite reports '\(message)'; restore it from a backup")
      case SQLITE_FULL:
        (
          .diskFull,
          "there is no space for the copy of '\(name)' that is read; set TMPDIR to a folder with space"
        )
      case SQLITE_NOMEM, SQLITE_TOOBIG:
        (.tooLarge, "'\(name)' has a value too large for this process: SQLite reports '\(message)'")
      default:
        (.inputOutput, "reading '\(name)' failed: SQLite reports '\(message)'")
      }
    return AnnalsError(code, text, underlying: self)
  }
}
