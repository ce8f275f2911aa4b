import Foundation
import LMDB

/// A store of two tables in a directory of its own, which ends with it.
final class Shelf: Sendable {
  /// The tables of every test: one with numbers, one with bytes for keys.
  static let tables = [
    TableDefinition("numbers", integerKeys: true), TableDefinition("names", integerKeys: false),
  ]
  /// The data file's name.
  static let file = "shelf.mdb"

  let path: String
  let directory: Directory
  /// The directory, if this process has created it.
  private let owned: TemporaryDirectory?

  /// An empty directory under `/tmp`.
  init() throws {
    let owned = try TemporaryDirectory()
    path = owned.url.path
    directory = try Directory.open(path: path)
    self.owned = owned
  }

  /// The directory that another process has made.
  init(path: String) throws {
    self.path = path
    directory = try Directory.open(path: path)
    owned = nil
  }

  /// The locks, opened again as another process would.
  func locks() throws -> EnvironmentLocks {
    EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
  }

  /// Creates the data file.
  func create(_ change: (inout EnvironmentOptions) -> Void = { _ in }) throws -> Environment {
    var options = EnvironmentOptions(create: true)
    change(&options)
    return try Environment.open(
      Self.file, in: directory, tables: Self.tables, locks: try locks(), options: options)
  }

  /// Opens the data file.
  func open(
    _ access: EnvironmentOptions.Access = .readWrite, _ change: (inout EnvironmentOptions) -> Void = { _ in }
  ) throws -> Environment {
    var options = EnvironmentOptions(access: access)
    change(&options)
    return try Environment.open(
      Self.file, in: directory, tables: Self.tables, locks: try locks(), options: options)
  }

  /// The bytes of the data file.
  func bytes() throws -> [UInt8] {
    try directory.read(Self.file, limit: 1 << 30)
  }

  /// Puts other bytes into the data file.
  func overwrite(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + Self.file))
  }
}

extension Environment {
  var numbers: Table { table("numbers") }
  var names: Table { table("names") }

  /// A copy of a value, in a snapshot of its own.
  func bytes(_ key: UInt64) throws -> [UInt8]? {
    try read { (transaction) throws(EnvironmentError) in
      guard let value = try transaction.value(forKey: key, in: numbers) else { return nil }
      return Array(copying: value)
    }
  }

  /// Stores values under 1, 2, … in one transaction each.
  func store(_ values: [UInt8]...) throws {
    for (index, value) in values.enumerated() {
      try write { (transaction) throws(EnvironmentError) in
        try transaction.put(value.span, forKey: UInt64(index + 1), in: numbers)
      }
    }
  }
}
