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
    AsyncEntries(limit: limit) { [core] (steps, room) throws(AnnalsError) in
      let snapshot = try LogSnapshot(core)
      let reader = snapshot.reader
      var steps =
        if let steps { steps } else { try snapshot.steps(of: source, backwards: backwards, likely: limit) }
      try steps.enter(snapshot)
      var cursor = try EntryCursor(reader, steps)
      let reading = EntryReading(kinds: snapshot.kinds)
      var page = EntryPage<LogEntry>(steps: cursor.steps)
      page.elements.reserveCapacity(min(room.entries, room.events))
      do throws(AnnalsError) {
        page.isLast = try cursor.fill(room) { (entry, stream) throws(AnnalsError) in
          page.elements.append(try reading.entry(entry, stream))
          return page.elements.count
        }
      } catch {
        page.failure = error
      }
      page.steps = cursor.steps
      return page
    }
  }
}
