public import CLMDB

/// LMDB's transaction, which only this module can use.
@safe
public struct TransactionHandle {
  let pointer: OpaquePointer
}

/// The reads that both kinds of transaction support.
///
/// Borrowed bytes point into the file's map: the compiler ensures that they do not outlive the transaction,
/// or its next change.
public protocol TableReading: ~Copyable {
  /// The transaction for LMDB.
  var handle: TransactionHandle { get }

  /// The object that keeps a read transaction open while it is retained; `nil` for a write transaction, which
  /// only its own value keeps open.
  var slot: ReadSlot? { get }
}

/// The size of a table.
public struct TableStatistics: Hashable, Sendable {
  /// The number of keys.
  public let entries: Int
  /// The number of levels of the tree; 0 if it is empty.
  public let depth: Int
  /// The number of inner pages.
  public let branchPages: Int
  /// The number of pages with keys and small values.
  public let leafPages: Int
  /// The number of pages with large values.
  public let overflowPages: Int
}

extension TableReading where Self: ~Copyable {
  /// The number of the commit that a read transaction reads, or that a write transaction will create.
  public var id: UInt64 { unsafe UInt64(bitPattern: Int64(mdb_txn_id(handle.pointer))) }

  /// Returns the value of a key that is a number.
  ///
  /// - Returns: The bytes in the map; `nil` if the table has no such key.
  @_lifetime(borrow self)
  public func value(
    forKey key: UInt64, in table: Table
  ) throws(EnvironmentError) -> Span<UInt8>? {
    guard let found = try unsafe entry(forKey: key, in: table) else { return nil }
    return unsafe _overrideLifetime(found.span, borrowing: self)
  }

  /// Returns where the value of a key that is a number is; `nil` if the table has no such key.
  func entry(forKey key: UInt64, in table: Table) throws(EnvironmentError) -> MDB_val? {
    guard table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
    if let found = unsafe slot?.tree(of: table)?.value(forKey: key) { return unsafe found }
    var number = key
    return try unsafe withUnsafeMutableBytes(of: &number) { (bytes) throws(EnvironmentError) in
      try unsafe get(MDB_val(bytes), in: table)
    }
  }

  /// Returns the last key of a table whose keys are numbers; `nil` if the table is empty.
  public func lastKey(in table: Table) throws(EnvironmentError) -> UInt64? {
    guard table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
    if let found = slot?.tree(of: table)?.lastKey { return found }
    var cursor = try integerCursor(in: table)
    return try cursor.last()?.key
  }

  /// Returns the value of a key of 1 to 511 bytes.
  ///
  /// - Returns: The bytes in the map; `nil` if the table has no such key.
  @_lifetime(borrow self)
  public func value(
    forKey key: Span<UInt8>, in table: Table
  ) throws(EnvironmentError) -> Span<UInt8>? {
    try check(key: key, of: table)
    let found = try unsafe key.withUnsafeBytes { (bytes) throws(EnvironmentError) in
      try unsafe get(MDB_val(reading: bytes), in: table)
    }
    guard let found = unsafe found else { return nil }
    return unsafe _overrideLifetime(found.span, borrowing: self)
  }

  /// Returns the size of a table, in O(1).
  public func statistics(of table: Table) throws(EnvironmentError) -> TableStatistics {
    try statistics(ofTable: table.number)
  }

  /// Returns the size of the table with LMDB's number, in O(1).
  func statistics(ofTable number: UInt32) throws(EnvironmentError) -> TableStatistics {
    var stat = MDB_stat()
    try unsafe LMDB.check(mdb_stat(handle.pointer, number, &stat), "mdb_stat")
    return TableStatistics(
      entries: Int(stat.ms_entries), depth: Int(stat.ms_depth),
      branchPages: Int(stat.ms_branch_pages), leafPages: Int(stat.ms_leaf_pages),
      overflowPages: Int(stat.ms_overflow_pages))
  }

  private func get(
    _ key: MDB_val, in table: Table
  ) throws(EnvironmentError) -> MDB_val? {
    var key = unsafe key
    var value = unsafe MDB_val()
    let code = unsafe mdb_get(handle.pointer, table.number, &key, &value)
    if code == MDB_NOTFOUND { return nil }
    try LMDB.check(code, "mdb_get")
    return unsafe value
  }
}

/// Refuses a key that LMDB does not accept, before it can invalidate a transaction.
@inline(__always)
func check(key: Span<UInt8>, of table: Table) throws(EnvironmentError) {
  guard !table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
  guard (1...511).contains(key.count) else { throw .keySize(key.count) }
}

extension MDB_val {
  /// Returns the bytes of `buffer`, which LMDB only reads.
  @inlinable
  @inline(__always)
  init(reading buffer: UnsafeRawBufferPointer) {
    unsafe self.init(
      mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
  }

  /// Returns the bytes of `buffer`.
  @inlinable
  @inline(__always)
  init(_ buffer: UnsafeMutableRawBufferPointer) {
    unsafe self.init(mv_size: buffer.count, mv_data: buffer.baseAddress)
  }

  /// Returns the bytes; the caller sets their lifetime.
  @usableFromInline
  var span: Span<UInt8> {
    @inlinable
    @_lifetime(immortal)
    @inline(__always)
    get {
      let buffer = unsafe UnsafeRawBufferPointer(start: mv_data, count: mv_size)
      let span = unsafe Span<UInt8>(_unsafeBytes: buffer)
      return unsafe _overrideLifetime(span, copying: ())
    }
  }

  /// Returns the number in the eight bytes of a key; `nil` for another length.
  @usableFromInline
  var number: UInt64? {
    @inlinable
    @inline(__always)
    get {
      guard unsafe mv_size == 8, let data = unsafe mv_data else { return nil }
      // LMDB only aligns keys to even addresses.
      return unsafe data.loadUnaligned(as: UInt64.self)
    }
  }
}
