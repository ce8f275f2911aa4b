extension InlineSnapshot: ReadableRows {
  /// The source for queries.
  public var reading: RowReading {
    @_lifetime(borrow self)
    get { RowReading(source, outline) }
  }
}
