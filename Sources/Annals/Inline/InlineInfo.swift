public import AnnalsCoding

/// What a store says of one version of an inline projection, whoever folds it.
public struct InlineInfo: Sendable {
  /// How far a version is.
  public enum State: String, Hashable, Sendable {
    /// What stands in the log is being folded, beside an older version that may be in force.
    case building
    /// It is in force: the appends of those who know it fold it.
    case live
    /// It is not in force any more, and its rows are being removed.
    case retired
  }

  /// The name of the projection.
  public let name: String
  /// The version of the projection.
  public let version: Int
  /// The number that its rows have in the log's file.
  public let number: UInt64
  /// How far it is.
  public let state: State
  /// Whether only programs that know it append, once it is in force.
  public let isMandatory: Bool
  /// The position up to which it is folded; `nil` before the first.
  public let position: Position?
  /// How many positions the log has beyond that.
  public let lag: UInt64
}

extension EventLog {
  /// The inline projections of the store, by name and version, as the store itself notes them; no plan and no projection is needed.
  ///
  /// Their rows are in the log's file. Those of a view are in a file of its own: ``views()``.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `tooManyReaders`, `usedAfterFork` or `inputOutput`.
  /// - Complexity: O(inline projections).
  public func inlineProjections() throws(AnnalsError) -> [InlineInfo] {
    let (rows, last) = try read { (snapshot) throws(AnnalsError) in
      (try snapshot.reader.inlineRows(), try snapshot.reader.last())
    }
    return rows.map { InlineInfo($0, last: last) }.sorted { left, right in
      ExactText(left.name) == ExactText(right.name)
        ? (left.version, left.number) < (right.version, right.number)
        : ExactText(left.name) < ExactText(right.name)
    }
  }
}

extension InlineInfo {
  fileprivate init(_ row: InlineRow, last: UInt64) {
    name = row.name
    version = row.version
    number = UInt64(row.number)
    state =
      switch row.state {
      case .building: .building
      case .live: .live
      case .retired: .retired
      }
    isMandatory = row.isMandatory
    position = row.folded > 0 ? Position(row.folded) : nil
    lag = last - min(last, row.folded)
  }
}
