internal import AnnalsCoding
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Which rows of a projection are asked for, and in what order.
///
/// ```swift
/// let query = RowQuery(Player.byTeam, .key("red")).filter(#Predicate { $0.goals > 10 }).limit(20)
/// let rows = try view.rows(query)
/// ```
///
/// It is a value that says nothing of a view: the same query can be asked of any that has the rows.
public struct RowQuery<Row: ProjectionRow>: Sendable {
  /// The name of the secondary key that rows are found by; `nil` for their own.
  let key: String?
  let lower, upper: KeyCut
  private(set) var isDescending = false
  private(set) var most = Int.max
  private(set) var predicates: [Predicate<Row>] = []

  /// The rows whose keys are in a range, the lowest key first.
  ///
  /// - Parameters:
  ///   - type: The row type.
  ///   - keys: Which; all by default.
  public init(_ type: Row.Type = Row.self, _ keys: KeyRange<Row.Key> = .all) {
    key = nil
    (lower, upper) = (keys.lower, keys.upper)
  }

  /// The rows that have a secondary key in a range, the lowest key first, and among equal ones that with the lowest key of its own.
  ///
  /// A row with several such keys stands there once for each.
  ///
  /// - Parameters:
  ///   - secondary: A key that the row type declares.
  ///   - keys: Which; all by default, and then every row that has the key.
  public init<Key: RowKey>(_ secondary: SecondaryKey<Row, Key>, _ keys: KeyRange<Key> = .all) {
    key = secondary.name
    (lower, upper) = (keys.lower, keys.upper)
  }

  /// The same rows in the other order.
  public func descending(_ isDescending: Bool = true) -> RowQuery {
    var query = self
    query.isDescending = isDescending
    return query
  }

  /// The first rows alone.
  ///
  /// - Parameter count: The most rows; 0 or more.
  public func limit(_ count: Int) -> RowQuery {
    var query = self
    query.most = max(0, count)
    return query
  }

  /// Those of the rows for which a predicate holds, and every one that was given before.
  ///
  /// Each row of the range is read for it, so that a range or a secondary key is better where there is one.
  public func filter(_ predicate: Predicate<Row>) -> RowQuery {
    var query = self
    query.predicates.append(predicate)
    return query
  }

  /// Whether rows must be read to know which belong to the result.
  var needsRows: Bool { !predicates.isEmpty }

  /// What makes two queries the same for whoever goes on from page to page, but for the predicates themselves and the limit.
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
