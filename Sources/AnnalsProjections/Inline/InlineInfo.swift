public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog

/// The state of one version of an inline projection, as the store records it for any program.
public struct InlineInfo: Sendable {
  /// The state of a version.
  public enum State: String, Hashable, Sendable {
    /// Not in force yet: stored entries are being folded, or an activation has to fold the rest. An older
    /// version may be in force.
    case building
    /// In force: every append folds it, and programs that do not know the version cannot append.
    case live
    /// No longer in force; its rows are being removed.
    case retired
  }

  /// The name of the projection.
  public let name: String
  /// The version of the projection.
  public let version: Int
  /// The number of its rows in the log's file.
  public let number: UInt64
  /// The state of the version.
  public let state: State
  /// The position up to which it is folded; `nil` before the first.
  public let position: Position?
  /// The number of positions in the log after that position.
  public let lag: UInt64
}

extension EventLog {
  /// Returns the inline projections of the store by name and version, from the store's own records. It needs
  /// no plan and no projection.
  ///
  /// Their rows are in the log's file. Rows of views are in separate files: ``views()``.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `tooManyReaders`, `usedAfterFork` or `inputOutput`.
  /// - Complexity: O(inline projections).
  public func inlineProjections() throws(AnnalsError) -> [InlineInfo] {
    let (rows, last) = try read { (snapshot) throws(AnnalsError) in
      (try snapshot.reader.ruleRows(), try snapshot.reader.last())
    }
    return rows.map { InlineInfo($0, last: last) }.sorted { left, right in
      ExactText(left.name) == ExactText(right.name)
        ? (left.version, left.number) < (right.version, right.number)
        : ExactText(left.name) < ExactText(right.name)
    }
  }
}

extension InlineInfo {
  fileprivate init(_ row: RuleRow, last: UInt64) {
    name = row.name
    version = row.version
    number = UInt64(row.number)
    state =
      switch row.state {
      case .building: .building
      case .live: row.isInForce ? .live : .building
      case .retired: .retired
      }
    position = row.folded > 0 ? Position(row.folded) : nil
    lag = last - min(last, row.folded)
  }
}
