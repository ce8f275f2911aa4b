internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding

/// A change to the rows of a view, as reported to observers.
public enum ViewChange<Row: ProjectionRow>: Sendable {
  /// A row was added or replaced. The value is the row's current state, with the position of the view.
  case put(Row, at: Position)
  /// A row was removed.
  case removed(RowIdentity<Row>, at: Position)
  /// Earlier changes are no longer valid: the observer lags too far, or reads use another version or
  /// file of the view. Read the rows again.
  case reset
}

/// The identity of a removed row, to be compared with known rows. Keys can be encoded but not decoded.
public struct RowIdentity<Row: ProjectionRow>: Hashable, Sendable {
  private let bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Creates the identity of the row with a key.
  public init(_ key: Row.Key) {
    bytes = RowKeyBytes(key).bytes
  }

  /// Creates the identity of a row.
  public init(of row: Row) {
    self.init(row.key)
  }
}
