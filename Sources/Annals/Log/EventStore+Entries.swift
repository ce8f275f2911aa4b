public import AnnalsCoding
public import AnnalsSchema

extension EventStore {
  /// The events of the whole store, or of some streams, one after the other, for a loop that waits.
  ///
  /// ```swift
  /// for try await entry in store.entries(backwards: true, limit: 10) {
  ///   print(entry.position, entry.stream, entry.event)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - prefix: What the names of the streams begin with, byte by byte; by default all are read.
  ///   - start: The position to begin at; by default the first, or the last where they are read backwards.
  ///   - backwards: Whether they come newest first; the parts of a split then come last part first.
  ///   - limit: The most events to read.
  /// - Returns: A sequence that throws what ``StoreEntries/next()`` throws, and `cancelled` in a cancelled task.
  public func entries(
    streamPrefix prefix: String? = nil, from start: Position? = nil, backwards: Bool = false,
    limit: Int = .max
  ) -> AsyncEntries<Entry<Event>> {
    entries(of: .log(from: start, prefix: prefix), backwards: backwards, limit: limit)
  }

  /// The events of one stream, one after the other, for a loop that waits. A stream that does not exist has none.
  ///
  /// ```swift
  /// for try await entry in store.entries(in: "workout-42") {
  ///   print(entry.revision, entry.event)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - start: The revision to begin at; by default the first, or the last where they are read backwards.
  ///   - backwards: Whether they come newest first; the parts of a split then come last part first.
  ///   - limit: The most events to read.
  /// - Returns: A sequence that throws what ``StoreEntries/next()`` throws, `invalidName`, and `cancelled` in a cancelled
  ///   task.
  public func entries(
    in stream: StreamName, from start: Revision? = nil, backwards: Bool = false, limit: Int = .max
  ) -> AsyncEntries<Entry<Event>> {
    entries(of: .stream(stream, from: start), backwards: backwards, limit: limit)
  }

  private func entries(
    of source: EntrySource, backwards: Bool, limit: Int
  ) -> AsyncEntries<Entry<Event>> {
    let reader = EntryReader(log.core, source, backwards: backwards, likely: limit)
    return AsyncEntries(
      EntryPages(reader, limit: limit) { [reach] (reader, limits) throws(AnnalsError) in
        try reader.events(limits, through: reach)
      })
  }
}
