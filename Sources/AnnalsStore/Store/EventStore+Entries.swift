public import AnnalsCoding
public import AnnalsLog
public import AnnalsSchema

extension EventStore {
  /// Returns the events of the whole store, or of some streams, in order, as an asynchronous sequence.
  ///
  /// ```swift
  /// for try await entry in store.entries(backwards: true, limit: 10) {
  ///   print(entry.position, entry.stream, entry.event)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the names of the streams to read. By default, all streams are read.
  ///   - start: The position to begin at; by default the first, or the last where they are read backwards.
  ///   - backwards: Whether to read the newest events first; the parts of a split then come last part first.
  ///   - limit: The maximum number of events to read.
  /// - Returns: A sequence that throws the errors of ``StoreEntries/next()``, and `cancelled` in a cancelled
  ///   task.
  public func entries(
    streamPrefix prefix: String? = nil, from start: Position? = nil, backwards: Bool = false,
    limit: Int = .max
  ) -> AsyncEntries<Entry<Event>> {
    entries(of: .log(from: start, prefix: prefix), backwards: backwards, limit: limit)
  }

  /// Returns the events of one stream, in order, as an asynchronous sequence. A stream that does not exist
  /// has none.
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
  ///   - backwards: Whether to read the newest events first; the parts of a split then come last part first.
  ///   - limit: The maximum number of events to read.
  /// - Returns: A sequence that throws the errors of ``StoreEntries/next()``, `invalidName`, and `cancelled`
  ///   in a cancelled task.
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
