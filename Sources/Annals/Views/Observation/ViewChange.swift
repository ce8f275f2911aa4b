public import AnnalsCoding

/// What happened to the rows of a view, as one who observes them is told.
public enum ViewChange<Row: ProjectionRow>: Sendable {
  /// A row was put: new, or in the place of another. It is the row as it stands when it is told, with how far the view was then.
  case put(Row, at: Position)
  /// A row was removed.
  case removed(RowIdentity<Row>, at: Position)
  /// What was known before says nothing any more: the observer fell too far behind, or another version or file of the view serves. Read the rows again.
  case reset
}

/// Which row was removed, to be compared with those that are known: keys can be written and not read.
public struct RowIdentity<Row: ProjectionRow>: Hashable, Sendable {
  private let bytes: [UInt8]

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The identity of the row with a key.
  public init(_ key: Row.Key) {
    bytes = RowKeyBytes(key).bytes
  }

  /// The identity of a row.
  public init(of row: Row) {
    self.init(row.key)
  }
}
