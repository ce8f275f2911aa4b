import CBareLMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bare calls of liblmdb: one table of payloads by position, without streams, heads, header or checksum.
///
/// Flags, keys and transactions are those of Annals: integer keys, MDB_APPEND, and a full sync at each
/// commit.
final class LMDBPeer: Subject {
  static let name = "lmdb"

  private static let file = "bench.mdb"
  private let environment: LMDBEnvironment
  private let table: MDB_dbi

  /// Relaxed: MDB_NOMETASYNC, so a power loss may take the last commit.
  convenience init(creatingIn directory: URL, _ durability: Durability) throws {
    try self.init(at: directory, flags: durability == .relaxed ? MDB_NOMETASYNC : 0)
  }

  convenience init(openingIn directory: URL) throws {
    try self.init(at: directory, flags: 0)
  }

  private init(at directory: URL, flags: Int32) throws(LMDBFailure) {
    let environment = try LMDBEnvironment(
      path: directory.appendingPathComponent(Self.file).path, flags: flags, mapSize: 1 << 40)
    table = try unsafe environment.transaction { (transaction) throws(LMDBFailure) in
      var table: MDB_dbi = 0
      try unsafe LMDBFailure.check(
        mdb_dbi_open(transaction, "entries", UInt32(MDB_CREATE | MDB_INTEGERKEY), &table), "mdb_dbi_open")
      return table
    }
    self.environment = environment
  }

  /// Closing is done when the subject is released.
  static func waitUntilClosed(in directory: URL) {}

  static func prepare(_ events: [SampleEvent]) -> [[UInt8]] {
    events.map(\.payload)
  }

  func append(_ payloads: [[UInt8]]) async throws {
    try write(payloads)
  }

  func append(blocking payloads: [[UInt8]]) throws {
    try write(payloads)
  }

  /// All of it on one thread, as LMDB's write transactions must be.
  private func write(_ payloads: [[UInt8]]) throws(LMDBFailure) {
    try unsafe environment.transaction { (transaction) throws(LMDBFailure) in
      var stat = MDB_stat()
      try unsafe LMDBFailure.check(mdb_stat(transaction, table, &stat), "mdb_stat")
      var position = UInt64(stat.ms_entries)
      for payload in payloads {
        position += 1
        try unsafe put(payload, at: position, transaction)
      }
    }
  }

  private func put(
    _ payload: [UInt8], at position: UInt64, _ transaction: OpaquePointer
  ) throws(LMDBFailure) {
    var position = position
    let code = unsafe withUnsafeMutableBytes(of: &position) { position in
      unsafe payload.withUnsafeBytes { payload in
        var key = unsafe MDB_val(mv_size: position.count, mv_data: position.baseAddress)
        // LMDB only reads the value.
        var value = unsafe MDB_val(
          mv_size: payload.count, mv_data: UnsafeMutableRawPointer(mutating: payload.baseAddress))
        return unsafe mdb_put(transaction, table, &key, &value, UInt32(MDB_APPEND))
      }
    }
    try LMDBFailure.check(code, "mdb_put")
  }

  func scan() throws -> ScanTotal {
    try unsafe environment.transaction(flags: MDB_RDONLY) { (transaction) throws(LMDBFailure) in
      var opened: OpaquePointer?
      try unsafe LMDBFailure.check(mdb_cursor_open(transaction, table, &opened), "mdb_cursor_open")
      guard let cursor = unsafe opened else {
        throw LMDBFailure(code: MDB_BAD_TXN, function: "mdb_cursor_open")
      }
      defer { unsafe mdb_cursor_close(cursor) }
      var total = ScanTotal()
      var key = unsafe MDB_val()
      var value = unsafe MDB_val()
      while true {
        let code = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        if code == MDB_NOTFOUND { return total }
        try LMDBFailure.check(code, "mdb_cursor_get")
        total.entries += 1
        total.digest &+= unsafe ScanTotal.sum(
          UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
      }
    }
  }

  static func bytesStored(in directory: URL) throws -> Int {
    try LMDBFile.bytesStored(at: directory.appendingPathComponent(Self.file).path)
  }
}
