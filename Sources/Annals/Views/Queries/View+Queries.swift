public import AnnalsCoding

extension View {
  /// The row of a key; `nil` where there is none.
  ///
  /// Each of these calls takes a snapshot of its own: what belongs together is read in one, with `read`.
  ///
  /// - Throws: As ``ViewSnapshot/get(_:_:)`` and `read`.
  public func get<R: ProjectionRow>(_ type: R.Type, _ key: R.Key) throws(AnnalsError) -> R? {
    try read { (rows) throws(AnnalsError) in try rows.get(type, key) }
  }

  /// The rows of a query.
  ///
  /// - Throws: As ``ReadableRows/rows(_:)`` and `read`.
  public func rows<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> [R] {
    try read { (rows) throws(AnnalsError) in try rows.rows(query) }
  }

  /// The next rows of a query, as many as its limit says.
  ///
  /// - Throws: As ``ReadableRows/page(_:after:)`` and `read`.
  public func page<R: ProjectionRow>(
    _ query: RowQuery<R>, after token: PageToken? = nil
  ) throws(AnnalsError) -> RowPage<R> {
    try read { (rows) throws(AnnalsError) in try rows.page(query, after: token) }
  }

  /// How many rows a query has.
  ///
  /// - Throws: As ``ReadableRows/count(_:)`` and `read`.
  public func count<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> Int {
    try read { (rows) throws(AnnalsError) in try rows.count(query) }
  }

  /// The first row of a query; `nil` where it has none.
  ///
  /// - Throws: As ``ReadableRows/first(_:)`` and `read`.
  public func first<R: ProjectionRow>(_ query: RowQuery<R>) throws(AnnalsError) -> R? {
    try read { (rows) throws(AnnalsError) in try rows.first(query) }
  }
}
