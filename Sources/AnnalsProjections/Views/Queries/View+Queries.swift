internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding

extension View {
  /// Returns the row with a key; `nil` if there is none.
  ///
  /// Each of these calls takes its own snapshot. Use `read` for several reads that must agree.
  ///
  /// - Throws: As ``ViewSnapshot/get(_:_:)`` and `read`.
  public func get<R: ProjectionRow>(_ type: R.Type, _ key: R.Key) throws(AnnalsError) -> R? {
    try read { (rows) throws(AnnalsError) in try rows.get(type, key) }
  }

  /// Returns the rows of a query.
  ///
  /// - Throws: As ``ReadableRows/rows(_:)`` and `read`.
  public func rows<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> [R] {
    try read { (rows) throws(AnnalsError) in try rows.rows(query) }
  }

  /// Returns the next rows of a query, up to its limit.
  ///
  /// - Throws: As ``ReadableRows/page(_:after:)`` and `read`.
  public func page<R: ProjectionRow>(
    _ query: RowQuery<R>, after token: PageToken? = nil
  ) throws(AnnalsError) -> RowPage<R> {
    try read { (rows) throws(AnnalsError) in try rows.page(query, after: token) }
  }

  /// Counts the rows of a query.
  ///
  /// - Throws: As ``ReadableRows/count(_:)`` and `read`.
  public func count<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> Int {
    try read { (rows) throws(AnnalsError) in try rows.count(query) }
  }

  /// Returns the first row of a query; `nil` if it has none.
  ///
  /// - Throws: As ``ReadableRows/first(_:)`` and `read`.
  public func first<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> R? {
    try read { (rows) throws(AnnalsError) in try rows.first(query) }
  }
}
