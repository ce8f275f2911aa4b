public import AnnalsCoding

extension EventLog {
  /// The entries of the whole log, or of some streams, one after the other, for a loop that waits.
  ///
  /// ```swift
  /// for try await entry in log.entries(backwards: true, limit: 10) {
  ///   print(entry.position, entry.type)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - prefix: What the names of the streams begin with, byte by byte; by default all are read.
  ///   - start: The first one; by default the log's first, or its last where they are read backwards.
  ///   - backwards: Whether they come newest first.
  ///   - limit: The most entries to read.
  /// - Returns: A sequence that throws what ``LogEntries/next()`` throws, and `cancelled` in a cancelled task.
  public func entries(
    streamPrefix prefix: String? = nil, from start: Position? = nil, backwards: Bool = false,
    limit: Int = .max
  ) -> AsyncEntries<LogEntry> {
    entries(of: .log(from: start, prefix: prefix), backwards: backwards, limit: limit)
  }

  /// The entries of one stream, one after the other, for a loop that waits. A stream that does not exist has none.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - start: The first one; by default the stream's first, or its last where they are read backwards.
  ///   - backwards: Whether they come newest first.
  ///   - limit: The most entries to read.
  /// - Returns: A sequence that throws what ``LogEntries/next()`` throws, `invalidName`, and `cancelled` in a cancelled
  ///   task.
  public func entries(
    in stream: StreamName, from start: Revision? = nil, backwards: Bool = false, limit: Int = .max
  ) -> AsyncEntries<LogEntry> {
    entries(of: .stream(stream, from: start), backwards: backwards, limit: limit)
  }

  private func entries(
    of source: EntrySource, backwards: Bool, limit: Int
  ) -> AsyncEntries<LogEntry> {
    let reader = EntryReader(core, source, backwards: backwards, likely: limit)
    return AsyncEntries(
      EntryPages(reader, limit: limit) { (reader, limits) throws(AnnalsError) in
        try reader.entries(limits)
      })
  }
}
