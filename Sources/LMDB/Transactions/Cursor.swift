public import CLMDB

/// A key and its value in a table of byte keys, borrowed from the transaction.
public struct Row: ~Escapable {
  /// The key's bytes.
  public let key: Span<UInt8>
  /// The value's bytes.
  public let value: Span<UInt8>

  @_lifetime(copy key, copy value)
  init(key: Span<UInt8>, value: Span<UInt8>) {
    self.key = key
    self.value = value
  }
}

/// A cursor in a table of byte keys, which are sorted by their bytes.
@safe
public struct Cursor: ~Copyable, ~Escapable {
  private let position: CursorPosition

  @_lifetime(borrow transaction)
  init<Transaction: TableReading & ~Copyable>(
    _ table: Table, in transaction: borrowing Transaction
  ) throws(EnvironmentError) {
    position = try CursorPosition(table, in: transaction.handle)
  }

  /// Moves to the first key; `nil` if there is none.
  @_lifetime(copy self)
  public mutating func first() throws(EnvironmentError) -> Row? {
    try move(MDB_FIRST)
  }

  /// Moves to the last key; `nil` if there is none.
  @_lifetime(copy self)
  public mutating func last() throws(EnvironmentError) -> Row? {
    try move(MDB_LAST)
  }

  /// Moves to the next key, to the first one if the cursor has not moved; `nil` at the end.
  @_lifetime(copy self)
  public mutating func next() throws(EnvironmentError) -> Row? {
    try move(MDB_NEXT)
  }

  /// Moves to the previous key, to the last one if the cursor has not moved; `nil` at the beginning.
  @_lifetime(copy self)
  public mutating func previous() throws(EnvironmentError) -> Row? {
    try move(MDB_PREV)
  }

  /// Moves to the first key that is not below `key`; `nil` if there is none.
  @_lifetime(copy self)
  public mutating func seek(_ key: Span<UInt8>) throws(EnvironmentError) -> Row? {
    guard (1...511).contains(key.count) else { throw .keySize(key.count) }
    let found = try unsafe key.withUnsafeBytes { (bytes) throws(EnvironmentError) in
      try unsafe position.move(MDB_SET_RANGE, from: MDB_val(reading: bytes))
    }
    guard let (key, value) = unsafe found else { return nil }
    let row = unsafe Row(key: key.span, value: value.span)
    return unsafe _overrideLifetime(row, copying: self)
  }

  @_lifetime(copy self)
  private mutating func move(_ operation: MDB_cursor_op) throws(EnvironmentError) -> Row? {
    guard let (key, value) = try unsafe position.move(operation, from: MDB_val()) else { return nil }
    let row = unsafe Row(key: key.span, value: value.span)
    return unsafe _overrideLifetime(row, copying: self)
  }
}

/// LMDB's cursor, closed at the end of this value's life, which is before the transaction ends.
@safe
@usableFromInline
struct CursorPosition: ~Copyable {
  @usableFromInline let pointer: OpaquePointer

  init(_ table: Table, in transaction: TransactionHandle) throws(EnvironmentError) {
    var opened: OpaquePointer?
    try unsafe check(
      mdb_cursor_open(transaction.pointer, table.number, &opened), "mdb_cursor_open")
    guard let pointer = unsafe opened else {
      throw .lmdb(LMDBError(code: MDB_BAD_TXN, function: "mdb_cursor_open"))
    }
    unsafe self.pointer = unsafe pointer
  }

  deinit {
    unsafe mdb_cursor_close(pointer)
  }

  /// Moves; `nil` if there is nothing.
  @inlinable
  @inline(__always)
  func move(
    _ operation: MDB_cursor_op, from key: MDB_val
  ) throws(EnvironmentError) -> (key: MDB_val, value: MDB_val)? {
    var key = unsafe key
    var value = unsafe MDB_val()
    let code = unsafe mdb_cursor_get(pointer, &key, &value, operation)
    if code != MDB_SUCCESS {
      if code == MDB_NOTFOUND { return nil }
      throw CursorPosition.error(code)
    }
    return unsafe (key, value)
  }

  /// The error for a move's return code, a separate function because it is rare.
  @usableFromInline
  static func error(_ code: Int32) -> EnvironmentError {
    .lmdb(LMDBError(code: code, function: "mdb_cursor_get"))
  }
}

extension TableReading where Self: ~Copyable {
  /// Returns a cursor before the first key of a table of byte keys.
  @_lifetime(borrow self)
  public func cursor(in table: Table) throws(EnvironmentError) -> Cursor {
    guard !table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
    return try Cursor(table, in: self)
  }

  /// Returns a cursor before the first key of a table whose keys are numbers.
  @_lifetime(borrow self)
  public func integerCursor(in table: Table) throws(EnvironmentError) -> IntegerCursor {
    guard table.definition.integerKeys else { throw .keyKind(table: table.definition.name) }
    return try IntegerCursor(table, in: self)
  }
}
