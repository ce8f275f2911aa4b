extension InlineSnapshot: ReadableRows {
  /// What queries are asked of.
  public var reading: RowReading {
    @_lifetime(borrow self)
    get { RowReading(source, outline) }
  }
}
