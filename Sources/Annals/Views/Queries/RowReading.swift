public import AnnalsCoding

/// The rows that queries are asked of: those of a view's snapshot, of a store's inline projection, or those that a projection sees while it folds.
public protocol ReadableRows: ~Copyable, ~Escapable {
  /// What the library reads rows from.
  var reading: RowReading {
    @_lifetime(borrow self)
    get
  }
}

/// What the library reads rows from. Only the library makes one.
public struct RowReading: ~Escapable {
  let source: RowSource
  let outline: ProjectionOutline
  /// What was changed and is not stored yet.
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
  /// The rows of a query, one after the other, of which only one is in memory at a time.
  ///
  /// - Parameters:
  ///   - query: Which rows, and in what order.
  ///   - token: Where an earlier page of the same query ended; the first row by default.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a type that is no table of the projection or a key that it does not declare, `malformed` for a token of another query, view or version, `damaged` or
  ///   `inputOutput`.
  /// - Complexity: One descent to the first row; then a step for each.
  @_lifetime(borrow self)
  public func scan<R: ProjectionRow>(
    _ query: RowQuery<R>, after token: PageToken? = nil
  ) throws(AnnalsError) -> RowScan<R> {
    try RowScan(query, in: reading, after: token)
  }

  /// The rows of a query.
  ///
  /// - Throws: As ``scan(_:after:)`` and ``RowScan/next()``.
  /// - Complexity: O(rows of the result); with a predicate, O(rows of the range).
  public func rows<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> [R] {
    var scan = try scan(query)
    var rows: [R] = []
    while let row = try scan.next() { rows.append(row) }
    return rows
  }

  /// The next rows of a query, as many as its limit says, and where the page behind them begins.
  ///
  /// Whoever goes on with a token gets each row once that is there all the time; rows that were put or removed between two pages are there or not as they stand then.
  ///
  /// - Parameters:
  ///   - query: Which rows, in what order, and how many. The limit may change from page to page; a predicate is the same for all of them.
  ///   - token: Where the page before ended; `nil` for the first.
  /// - Throws: As ``rows(_:)``.
  public func page<R: ProjectionRow>(
    _ query: RowQuery<R>, after token: PageToken? = nil
  ) throws(AnnalsError) -> RowPage<R> {
    var scan = try scan(query, after: token)
    var rows: [R] = []
    while rows.count < query.most, let row = try scan.next() { rows.append(row) }
    return RowPage(rows: rows, next: rows.count == query.most ? try scan.nextPage() : nil)
  }

  /// How many rows a query has, up to its limit. Without a predicate no row is read.
  ///
  /// - Throws: As ``rows(_:)``.
  /// - Complexity: A step for each row of the range.
  public func count<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> Int {
    var scan = try scan(query)
    return try scan.count()
  }

  /// The first row of a query; `nil` where it has none.
  ///
  /// - Throws: As ``rows(_:)``.
  public func first<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> R? {
    var scan = try scan(query.limit(min(1, query.most)))
    return try scan.next()
  }

  /// The row that has a secondary key; of several, that with the lowest key of its own. `nil` where there is none.
  ///
  /// - Throws: As ``rows(_:)``.
  /// - Complexity: Two look-ups.
  public func first<R: ProjectionRow, Key: RowKey>(
    _ secondary: SecondaryKey<R, Key>, _ key: Key
  ) throws(AnnalsError) -> R? {
    try first(RowQuery(secondary, .key(key)))
  }
}
