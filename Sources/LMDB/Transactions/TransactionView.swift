internal import CLMDB

/// A view for reading in a transaction of either kind. It can be copied and passed on, and cannot outlive the
/// transaction or its next change.
public struct TransactionView: ~Escapable {
  private let lent: Lent

  /// The same handle as an owner of the protocol's reading functions.
  private struct Lent: TableReading {
    let handle: TransactionHandle
    let slot: ReadSlot?
  }

  @_lifetime(borrow transaction)
  init<Transaction: TableReading & ~Copyable>(_ transaction: borrowing Transaction) {
    lent = Lent(handle: transaction.handle, slot: transaction.slot)
  }

  /// The number of the commit that is read.
  public var id: UInt64 { lent.id }

  /// Returns the value of a key that is a number; `nil` if the table has no such key.
  @_lifetime(copy self)
  public func value(forKey key: UInt64, in table: Table) throws(EnvironmentError) -> Span<UInt8>? {
    let value = try lent.value(forKey: key, in: table)
    return unsafe _overrideLifetime(value, copying: self)
  }

  /// Returns where the value of a key that is a number is; `nil` if the table has no such key.
  func entry(forKey key: UInt64, in table: Table) throws(EnvironmentError) -> MDB_val? {
    try unsafe lent.entry(forKey: key, in: table)
  }

  /// The tree of a table whose keys are numbers; `nil` if it must be searched through LMDB.
  func tree(of table: Table) -> IntegerTree? { lent.slot?.tree(of: table) }

  /// Returns the last key of a table whose keys are numbers; `nil` if the table is empty.
  public func lastKey(in table: Table) throws(EnvironmentError) -> UInt64? {
    try lent.lastKey(in: table)
  }

  /// Returns the value of a key of 1 to 511 bytes; `nil` if the table has no such key.
  @_lifetime(copy self)
  public func value(forKey key: Span<UInt8>, in table: Table) throws(EnvironmentError) -> Span<UInt8>? {
    let value = try lent.value(forKey: key, in: table)
    return unsafe _overrideLifetime(value, copying: self)
  }

  /// Returns a cursor before the first key of a table whose keys are numbers.
  @_lifetime(copy self)
  public func integerCursor(in table: Table) throws(EnvironmentError) -> IntegerCursor {
    let cursor = try lent.integerCursor(in: table)
    return unsafe _overrideLifetime(cursor, copying: self)
  }

  /// Returns a cursor before the first key of a table of byte keys.
  @_lifetime(copy self)
  public func cursor(in table: Table) throws(EnvironmentError) -> Cursor {
    let cursor = try lent.cursor(in: table)
    return unsafe _overrideLifetime(cursor, copying: self)
  }

  /// Returns the size of a table, in O(1).
  public func statistics(of table: Table) throws(EnvironmentError) -> TableStatistics {
    try lent.statistics(of: table)
  }
}

extension TableReading where Self: ~Copyable {
  /// A view for reading in the transaction.
  public var view: TransactionView {
    @_lifetime(borrow self)
    get { TransactionView(self) }
  }
}
