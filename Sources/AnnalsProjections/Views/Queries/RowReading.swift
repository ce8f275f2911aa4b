internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding

/// A source of rows for queries: a view's snapshot, a store's inline projection, or the rows of a projection
/// during its fold.
public protocol ReadableRows: ~Copyable, ~Escapable {
  /// The source from which the library reads rows.
  var reading: RowReading {
    @_lifetime(borrow self)
    get
  }
}

/// The source from which the library reads rows. Only the library creates one.
public struct RowReading: ~Escapable {
  let source: RowSource
  let outline: ProjectionOutline
  /// The changes that are not stored yet.
  let staging: RowStaging?

  @_lifetime(copy source)
  init(_ source: RowSource, _ outline: ProjectionOutline, _ staging: RowStaging? = nil) {
    self.source = source
    self.outline = outline
    self.staging = staging
  }
}

@available(*, unavailable)
extension RowReading: Sendable {}

extension ReadableRows where Self: ~Copyable & ~Escapable {
  /// Scans the rows of a query one after the other, with only one in memory at a time.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - token: The place where an earlier page of the same query ended. The default begins at the first row.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a type that is not a table of the projection or a key
  ///   that it does not declare, `malformed` for a token of another query, view or version, `damaged` or
  ///   `inputOutput`.
  /// - Complexity: One descent to the first row; then a step for each.
  @_lifetime(borrow self)
  public func scan<R: ProjectionRow>(
    _ query: RowQuery<R>, after token: PageToken? = nil
  ) throws(AnnalsError) -> RowScan<R> {
    try RowScan(query, in: reading, after: token)
  }

  /// Returns the rows of a query.
  ///
  /// - Throws: As ``scan(_:after:)`` and ``RowScan/next()``.
  /// - Complexity: O(rows of the result); with a predicate, O(rows of the range).
  public func rows<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> [R] {
    var scan = try scan(query)
    var rows: [R] = []
    while let row = try scan.next() { rows.append(row) }
    return rows
  }

  /// Returns the next rows of a query, up to its limit, with the token for the page after them.
  ///
  /// Paging delivers each row that exists throughout exactly once. Rows that are put or removed between two
  /// pages may or may not appear.
  ///
  /// - Parameters:
  ///   - query: The query with its limit. The limit may change from page to page; a predicate must stay the
  ///     same.
  ///   - token: The place where the previous page ended; `nil` for the first.
  /// - Throws: As ``rows(_:)``.
  public func page<R: ProjectionRow>(
    _ query: RowQuery<R>, after token: PageToken? = nil
  ) throws(AnnalsError) -> RowPage<R> {
    guard query.most > 0 else {
      throw AnnalsError(.wrongUse, "a page of rows has a limit of at least 1, or nothing says where it ends")
    }
    var scan = try scan(query, after: token)
    var rows: [R] = []
    while rows.count < query.most, let row = try scan.next() { rows.append(row) }
    return RowPage(rows: rows, next: rows.count == query.most ? try scan.nextPage() : nil)
  }

  /// Counts the rows of a query, up to its limit. Without a predicate no row is read.
  ///
  /// - Throws: As ``rows(_:)``.
  /// - Complexity: A step for each row of the range.
  public func count<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> Int {
    var scan = try scan(query)
    return try scan.count()
  }

  /// Returns the first row of a query; `nil` if it has none.
  ///
  /// - Throws: As ``rows(_:)``.
  public func first<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> R? {
    var scan = try scan(query.limit(min(1, query.most)))
    return try scan.next()
  }

  /// Returns the row with a secondary key; if there are several, the row whose own key is lowest. Returns
  /// `nil` if there is none.
  ///
  /// - Throws: As ``rows(_:)``.
  /// - Complexity: Two look-ups.
  public func first<R: ProjectionRow, Key: RowKey>(
    _ secondary: SecondaryKey<R, Key>, _ key: Key
  ) throws(AnnalsError) -> R? {
    try first(RowQuery(secondary, .key(key)))
  }
}
