internal import CAnnals
public import CLMDB

/// A key and its value in a table whose keys are numbers, borrowed from the transaction.
public struct IntegerRow: ~Escapable {
  /// The key.
  public let key: UInt64
  /// The value's bytes.
  public let value: Span<UInt8>

  @inlinable
  @_lifetime(copy value)
  init(key: UInt64, value: Span<UInt8>) {
    self.key = key
    self.value = value
  }

  /// Begins to fetch the memory of the next rows, if rows were added in the order of their keys: LMDB fills
  /// such pages one after the other, each from its end.
  public func fetchNext() {
    unsafe value.withUnsafeBufferPointer { value in
      guard let start = value.baseAddress else { return }
      let offset = Int(UInt(bitPattern: start) & UInt(pageSize - 1))
      // Fetching what is not there does nothing.
      let end = unsafe UnsafeRawPointer(start) + (offset > 512 ? 0 : 2 * pageSize - offset)
      for line in 1...5 { unsafe annals_prefetch_read(end - line * 64) }
    }
  }
}

/// A cursor in a table whose keys are numbers, in ascending order.
///
/// It borrows the transaction, so nothing can change the pages that its rows point into.
@safe
public struct IntegerCursor: ~Copyable, ~Escapable {
  @usableFromInline let position: CursorPosition

  @_lifetime(borrow transaction)
  init<Transaction: TableReading & ~Copyable>(
    _ table: Table, in transaction: borrowing Transaction
  ) throws(EnvironmentError) {
    position = try CursorPosition(table, in: transaction.handle)
  }

  /// Moves to the first key; `nil` if there is none.
  @inlinable
  @_lifetime(copy self)
  public mutating func first() throws(EnvironmentError) -> IntegerRow? {
    try move(MDB_FIRST)
  }

  /// Moves to the last key; `nil` if there is none.
  @inlinable
  @_lifetime(copy self)
  public mutating func last() throws(EnvironmentError) -> IntegerRow? {
    try move(MDB_LAST)
  }

  /// Moves to the next key, to the first one if the cursor has not moved; `nil` at the end.
  @inlinable
  @inline(__always)
  @_lifetime(copy self)
  public mutating func next() throws(EnvironmentError) -> IntegerRow? {
    try move(MDB_NEXT)
  }

  /// Moves to the previous key, to the last one if the cursor has not moved; `nil` at the beginning.
  @inlinable
  @_lifetime(copy self)
  public mutating func previous() throws(EnvironmentError) -> IntegerRow? {
    try move(MDB_PREV)
  }

  /// Moves to the first key that is not below `key`; `nil` if there is none.
  @inlinable
  @_lifetime(copy self)
  public mutating func seek(_ key: UInt64) throws(EnvironmentError) -> IntegerRow? {
    var number = key
    let found = try unsafe withUnsafeMutableBytes(of: &number) { (bytes) throws(EnvironmentError) in
      try unsafe position.move(MDB_SET_RANGE, from: MDB_val(bytes))
    }
    return try unsafe row(found)
  }

  @inlinable
  @_lifetime(copy self)
  @inline(__always)
  mutating func move(_ operation: MDB_cursor_op) throws(EnvironmentError) -> IntegerRow? {
    try unsafe row(position.move(operation, from: MDB_val()))
  }

  @inlinable
  @_lifetime(copy self)
  @inline(__always)
  mutating func row(
    _ found: (key: MDB_val, value: MDB_val)?
  ) throws(EnvironmentError) -> IntegerRow? {
    guard let (key, value) = unsafe found else { return nil }
    guard let number = unsafe key.number else {
      throw CursorPosition.error(MDB_CORRUPTED)
    }
    let row = unsafe IntegerRow(key: number, value: value.span)
    return unsafe _overrideLifetime(row, copying: self)
  }
}
