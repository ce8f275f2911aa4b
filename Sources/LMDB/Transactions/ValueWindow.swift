import CLMDB

/// The values of some keys of one table whose keys are numbers, found once and lent as often as wanted.
///
/// It cannot outlive the transaction, or the transaction's next change, so the values stay where they are.
@safe
public struct ValueWindow: ~Copyable, ~Escapable {
  private let view: TransactionView
  private let table: Table
  private var values: [MDB_val] = unsafe []

  /// Creates an empty window on `table`.
  @_lifetime(copy view)
  public init(_ table: Table, in view: TransactionView) {
    self.view = view
    self.table = table
  }

  /// The number of values.
  public var count: Int { unsafe values.count }

  /// Finds the value of a key, and appends it to the window.
  ///
  /// - Returns: Whether the table has the key.
  public mutating func append(valueForKey key: UInt64) throws(EnvironmentError) -> Bool {
    guard let value = try unsafe view.entry(forKey: key, in: table) else { return false }
    unsafe values.append(value)
    return true
  }

  /// Returns the value with this number.
  public subscript(index: Int) -> Span<UInt8> {
    @_lifetime(copy self)
    get { unsafe _overrideLifetime(values[index].span, copying: self) }
  }

  /// Removes all values.
  public mutating func removeAll() { unsafe values.removeAll(keepingCapacity: true) }
}
