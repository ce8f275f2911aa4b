internal import AnnalsLog
internal import AnnalsStore
public import AnnalsCoding
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A query for rows of a projection, with their order.
///
/// ```swift
/// let query = RowQuery(Player.byTeam, .key("red")).filter(#Predicate { $0.goals > 10 }).limit(20)
/// let rows = try view.rows(query)
/// ```
///
/// A query does not depend on a view: you can use it with any view that has the rows.
public struct RowQuery<Row: ProjectionRow>: Sendable {
  /// The name of the secondary key by which rows are found; `nil` for their own key.
  let key: String?
  let lower, upper: KeyCut
  private(set) var isDescending = false
  private(set) var most = Int.max
  private(set) var predicates: [Predicate<Row>] = []

  /// Creates a query for the rows whose keys are in a range, lowest key first.
  ///
  /// - Parameters:
  ///   - type: The row type.
  ///   - keys: The range; all by default.
  public init(_ type: Row.Type = Row.self, _ keys: KeyRange<Row.Key> = .all) {
    key = nil
    (lower, upper) = (keys.lower, keys.upper)
  }

  /// Creates a query for the rows with a secondary key in a range, lowest key first. Rows with equal keys are
  /// ordered by their own keys.
  ///
  /// A row with several such keys appears once for each.
  ///
  /// - Parameters:
  ///   - secondary: A key that the row type declares.
  ///   - keys: The range. The default includes every row that has the key.
  public init<Key: RowKey>(_ secondary: SecondaryKey<Row, Key>, _ keys: KeyRange<Key> = .all) {
    key = secondary.name
    (lower, upper) = (keys.lower, keys.upper)
  }

  /// Returns the query with the rows in reverse order.
  public func descending(_ isDescending: Bool = true) -> RowQuery {
    var query = self
    query.isDescending = isDescending
    return query
  }

  /// Limits the query to the first rows.
  ///
  /// - Parameter count: The maximum number of rows; 0 or more.
  public func limit(_ count: Int) -> RowQuery {
    var query = self
    query.most = max(0, count)
    return query
  }

  /// Limits the query to rows that match a predicate, in addition to any earlier predicates.
  ///
  /// Every row of the range is read, so prefer a range or a secondary key where possible.
  public func filter(_ predicate: Predicate<Row>) -> RowQuery {
    var query = self
    query.predicates.append(predicate)
    return query
  }

  /// Whether rows must be read to know which belong to the result.
  var needsRows: Bool { !predicates.isEmpty }

  /// The bytes that identify the query across pages. They exclude the predicates themselves and the limit.
  var identity: [UInt8] {
    var bytes: [UInt8] = []
    for part in [Array(Row.recordName.utf8), key.map { Array($0.utf8) } ?? [0], lower.bytes, upper.bytes] {
      bytes.append(littleEndian: UInt64(part.count))
      bytes += part
    }
    for flag in [lower.isBehind, upper.isBehind, isDescending, needsRows] { bytes.append(flag ? 1 : 0) }
    return bytes
  }
}
