import Annals
import AnnalsSwiftData
import AnnalsTestSupport
import CAnnalsSQLite
import Foundation

/// A connection to a file of a test, which can write.
@safe final class SQLiteConnection {
  private let handle: OpaquePointer

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init(_ path: String) throws {
    var handle: OpaquePointer?
    guard unsafe sqlite3_open(path, &handle) == SQLITE_OK, let handle = unsafe handle else {
      throw Failure(description: "cannot open \(path)")
    }
    unsafe self.handle = handle
  }

  deinit { unsafe sqlite3_close(handle) }

  /// Runs statements without a result.
  func run(_ script: String) throws {
    var message: UnsafeMutablePointer<CChar>?
    guard unsafe sqlite3_exec(handle, script, nil, nil, &message) == SQLITE_OK else {
      defer { unsafe sqlite3_free(message) }
      throw Failure(description: unsafe message.map { unsafe String(cString: $0) } ?? "no message")
    }
  }

  /// The rows of a query, each value as its SQL literal, which shows the type and every bit but for numbers.
  func literals(_ query: String) throws -> [[String]] {
    var statement: OpaquePointer?
    guard unsafe sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(description: unsafe String(cString: sqlite3_errmsg(handle)))
    }
    defer { unsafe sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while unsafe sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<(unsafe sqlite3_column_count(statement))).map { column in
          let count = Int(unsafe sqlite3_column_bytes(statement, column))
          switch unsafe sqlite3_column_type(statement, column) {
          case SQLITE_INTEGER: return "\(unsafe sqlite3_column_int64(statement, column))"
          case SQLITE_FLOAT: return "\(unsafe sqlite3_column_double(statement, column))"
          case SQLITE_TEXT:
            let bytes = unsafe sqlite3_column_text(statement, column)
            return unsafe "'" + Self.hex(UnsafeRawBufferPointer(start: bytes, count: count))
          case SQLITE_BLOB:
            let bytes = unsafe sqlite3_column_blob(statement, column)
            return unsafe "x" + Self.hex(UnsafeRawBufferPointer(start: bytes, count: count))
          default: return "null"
          }
        })
    }
    return rows
  }

  private static func hex(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// A file in the form of the framework, made with SQL by a test.
final class SourceFile: Sendable {
  let folder: TemporaryDirectory
  let path: String
  static let id = "0B3F3C0A-6B54-4E0D-9A60-2B1B7C1F0D11"

  var url: URL { URL(filePath: path) }

  /// Creates a file with the framework's tables.
  ///
  /// - Parameters:
  ///   - entities: The number, the name and the number of the superentity of each entity.
  ///   - script: The statements that make its tables and rows.
  ///   - model: The content of Z_MODELCACHE.
  init(
    _ name: String = "app.store", entities: [(Int, String, Int)], _ script: String, model: [UInt8]? = nil,
    id: String = SourceFile.id
  ) throws {
    folder = try TemporaryDirectory()
    path = folder.path(name)
    let connection = try SQLiteConnection(path)
    try connection.run(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      INSERT INTO Z_METADATA VALUES (1, '\(id)', NULL);
      """)
    for (number, name, parent) in entities {
      try connection.run(
        "INSERT INTO Z_PRIMARYKEY VALUES (\(number), '\(name.replacing("'", with: "''"))', \(parent), 0)")
    }
    if let model {
      let digits = model.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      try connection.run("INSERT INTO Z_MODELCACHE VALUES (x'\(digits)')")
    }
    try connection.run(script)
  }

  /// Opens the file as a program that writes to it.
  func connection() throws -> SQLiteConnection { try SQLiteConnection(path) }

  /// Runs statements.
  func run(_ script: String) throws { try connection().run(script) }

  /// Adds the tables of a history.
  func addHistory() throws {
    try run(
      """
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB);
      CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
        ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR);
      CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      """)
  }

  /// The folder of external contents.
  func externalFolder() throws -> URL {
    let stem = url.deletingPathExtension().lastPathComponent
    let folder = folder.url.appending(path: ".\(stem)_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Imports the file with the proposed mapping into the log at `store`.
  func imports(
    into log: EventLog, _ change: (inout SwiftDataMapping) -> Void = { _ in }
  ) throws -> SwiftDataImportReport {
    let file = try SwiftDataFile(at: url)
    var mapping = try file.proposal(named: "App").mapping
    change(&mapping)
    return try file.importRows(into: log, mapping: mapping)
  }
}
