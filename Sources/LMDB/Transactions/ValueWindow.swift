import CLMDB

/// The values of some keys of one table whose keys are numbers, found once and lent as often as wanted.
///
/// It cannot outlive the transaction, or the transaction's next change, so the values stay where they are.
@safe
public struct ValueWindow: ~Copyable, ~Escapable {
  private let view: TransactionView
  private let table: Table
  private var values: [MDB_val] = unsafe []
  private var places: [IntegerTree.Place?] = []

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

  /// Finds the values of the keys in `keys` from an index on, and appends them to the window in this order.
  /// The memory of all of them is fetched at the same time.
  ///
  /// - Returns: The index of the first key that the table does not have; `keys.count` if it has all of them.
  ///   The values before this key are appended.
  public mutating func append(valuesForKeys keys: [UInt64], from start: Int) throws(EnvironmentError) -> Int {
    let tree = view.tree(of: table)
    places.removeAll(keepingCapacity: true)
    if let tree {
      for index in start..<keys.count { places.append(tree.leaf(for: keys[index])) }
      for index in places.indices { if let place = places[index] { tree.fetch(place) } }
    }
    for index in start..<keys.count {
      if let tree, let place = places[index - start], let value = unsafe tree.value(at: place) {
        unsafe values.append(value)
      } else if try !append(valueForKey: keys[index]) {
        return index
      }
    }
    return keys.count
  }

  /// Returns the value with this number.
  public subscript(index: Int) -> Span<UInt8> {
    @_lifetime(copy self)
    get { unsafe _overrideLifetime(values[index].span, copying: self) }
  }

  /// Makes room for values that will be appended.
  public mutating func reserveCapacity(_ count: Int) { unsafe values.reserveCapacity(count) }

  /// Removes all values.
  public mutating func removeAll() { unsafe values.removeAll(keepingCapacity: true) }
}
