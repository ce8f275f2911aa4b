public import AnnalsCoding
public import AnnalsFormat

extension EventLog {
  /// Returns the entries of the whole log, or of some streams, in order, as an asynchronous sequence.
  ///
  /// ```swift
  /// for try await entry in log.entries(backwards: true, limit: 10) {
  ///   print(entry.position, entry.type)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: The record types and tags of the entries to read. By default, all entries are read.
  ///   - prefix: The first bytes of the names of the streams to read. By default, all streams are read.
  ///   - after: The position that the read begins after, in its direction.
  ///   - start: The position to begin at; by default the log's first, or its last if read backwards.
  ///   - end: The position to end at, in the direction of the read.
  ///   - backwards: Whether to read the newest entries first.
  ///   - limit: The maximum number of entries to read.
  /// - Returns: A sequence that throws the errors of ``LogEntries/next()``, and `cancelled` in a cancelled
  ///   task.
  public func entries(
    matching query: LogQuery? = nil, streamPrefix prefix: String? = nil, after: Position? = nil,
    from start: Position? = nil, through end: Position? = nil, backwards: Bool = false, limit: Int = .max
  ) -> AsyncEntries<LogEntry> {
    let source = EntrySource(
      after: after, from: start, through: end, streamPrefix: prefix, backwards: backwards)
    return entries(of: source, matching: query, backwards: backwards, limit: limit)
  }

  /// Returns the entries of one stream, in order, as an asynchronous sequence. A stream that does not exist
  /// has none.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - query: The record types and tags of the entries to read. By default, all entries are read.
  ///   - after: The revision that the read begins after, in its direction.
  ///   - start: The revision to begin at; by default the stream's first, or its last if read backwards.
  ///   - end: The revision to end at, in the direction of the read.
  ///   - backwards: Whether to read the newest entries first.
  ///   - limit: The maximum number of entries to read.
  /// - Returns: A sequence that throws the errors of ``LogEntries/next()``, `invalidName`, and `cancelled` in
  ///   a cancelled task.
  public func entries(
    in stream: StreamName, matching query: LogQuery? = nil, after: Revision? = nil,
    from start: Revision? = nil, through end: Revision? = nil, backwards: Bool = false, limit: Int = .max
  ) -> AsyncEntries<LogEntry> {
    let source = EntrySource(in: stream, after: after, from: start, through: end, backwards: backwards)
    return entries(
      of: source ?? .stream(stream, from: nil), matching: query, backwards: backwards,
      limit: source == nil ? 0 : limit)
  }

  private func entries(
    of source: EntrySource, matching query: LogQuery?, backwards: Bool, limit: Int
  ) -> AsyncEntries<LogEntry> {
    let reader = EntryReader(
      core, source, matching: query?.source, backwards: backwards, likely: limit)
    return AsyncEntries(
      EntryPages(reader, limit: limit) { (reader, limits) throws(AnnalsError) in
        try reader.entries(limits)
      })
  }
}
