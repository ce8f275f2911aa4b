public import AnnalsCoding

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
  ///   - prefix: The first bytes of the names of the streams to read. By default, all streams are read.
  ///   - start: The position to begin at; by default the log's first, or its last if read backwards.
  ///   - backwards: Whether to read the newest entries first.
  ///   - limit: The maximum number of entries to read.
  /// - Returns: A sequence that throws the errors of ``LogEntries/next()``, and `cancelled` in a cancelled
  ///   task.
  public func entries(
    streamPrefix prefix: String? = nil, from start: Position? = nil, backwards: Bool = false,
    limit: Int = .max
  ) -> AsyncEntries<LogEntry> {
    entries(of: .log(from: start, prefix: prefix), backwards: backwards, limit: limit)
  }

  /// Returns the entries of one stream, in order, as an asynchronous sequence. A stream that does not exist
  /// has none.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - start: The revision to begin at; by default the stream's first, or its last if read backwards.
  ///   - backwards: Whether to read the newest entries first.
  ///   - limit: The maximum number of entries to read.
  /// - Returns: A sequence that throws the errors of ``LogEntries/next()``, `invalidName`, and `cancelled` in
  ///   a cancelled task.
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
