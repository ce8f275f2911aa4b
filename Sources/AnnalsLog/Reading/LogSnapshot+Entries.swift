public import AnnalsCoding
public import AnnalsFormat

extension LogSnapshot {
  /// Returns the entries of the whole log, or of some streams, in order.
  ///
  /// - Parameters:
  ///   - query: The record types and tags of the entries to read. By default, all entries are read.
  ///   - prefix: The first bytes of the names of the streams to read. By default, all streams are read.
  ///   - after: The position that the read begins after, in its direction.
  ///   - start: The position to begin at; by default the log's first, or its last if read backwards.
  ///   - end: The position to end at, in the direction of the read.
  ///   - backwards: Whether to read the newest entries first.
  ///   - limit: The maximum number of entries to read.
  /// - Throws: ``AnnalsError`` with code `invalidName` for a tag that no event can have, `damaged` or
  ///   `inputOutput`.
  /// - Complexity: If each item of the query has a tag, only entries with these tags are read. Otherwise the
  ///   read passes every entry at the speed of ``scan(from:backwards:limit:)`` and decodes those that match.
  @_lifetime(borrow self)
  public func entries(
    matching query: LogQuery? = nil, streamPrefix prefix: String? = nil, after: Position? = nil,
    from start: Position? = nil, through end: Position? = nil, backwards: Bool = false, limit: Int = .max
  ) throws(AnnalsError) -> LogEntries {
    let source = EntrySource(
      after: after, from: start, through: end, streamPrefix: prefix, backwards: backwards)
    let steps = try steps(of: source, matching: query?.source, backwards: backwards)
    return LogEntries(try EntryCursor(reader, steps), kinds, limit: limit)
  }

  /// Returns the entries of one stream, in order. A stream that does not exist has none.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - query: The record types and tags of the entries to read. By default, all entries are read.
  ///   - after: The revision that the read begins after, in its direction.
  ///   - start: The revision to begin at; by default the stream's first, or its last if read backwards.
  ///   - end: The revision to end at, in the direction of the read.
  ///   - backwards: Whether to read the newest entries first.
  ///   - limit: The maximum number of entries to read.
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged` or `inputOutput`.
  /// - Complexity: The first entry is found through at most 3 · log₄(length) others.
  @_lifetime(borrow self)
  public func entries(
    in stream: StreamName, matching query: LogQuery? = nil, after: Revision? = nil,
    from start: Revision? = nil, through end: Revision? = nil, backwards: Bool = false, limit: Int = .max
  ) throws(AnnalsError) -> LogEntries {
    let source = EntrySource(in: stream, after: after, from: start, through: end, backwards: backwards)
    let steps = try steps(
      of: source ?? .stream(stream, from: nil), matching: query?.source, backwards: backwards, likely: limit)
    return LogEntries(try EntryCursor(reader, steps), kinds, limit: source == nil ? 0 : limit)
  }
}
