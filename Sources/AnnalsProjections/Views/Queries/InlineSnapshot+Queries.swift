internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

extension InlineSnapshot: ReadableRows {
  /// The source for queries.
  public var reading: RowReading {
    @_lifetime(borrow self)
    get { RowReading(source, outline) }
  }
}
