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
  ///   - query: The types and tags of the events to read. By default, all events are read.
  ///   - prefix: The first bytes of the names of the streams to read. By default, all streams are read.
  ///   - after: The position that the read begins after, in its direction.
  ///   - start: The position to begin at; by default the first, or the last if read backwards.
  ///   - end: The position to end at, in the direction of the read.
  ///   - backwards: Whether to read the newest events first; the parts of a split then come last part first.
  ///   - limit: The number of events after which the read ends. Events that a split made of one entry are
  ///     read together, so there may be a few more.
  /// - Returns: A sequence that throws the errors of ``StoreEntries/next()``, `invalidName` for a tag that no
  ///   event can have, and `cancelled` in a cancelled task.
  public func entries(
    matching query: EventQuery<Event>? = nil, streamPrefix prefix: String? = nil, after: Position? = nil,
    from start: Position? = nil, through end: Position? = nil, backwards: Bool = false, limit: Int = .max
  ) -> AsyncEntries<Entry<Event>> {
    let source = EntrySource(
      after: after, from: start, through: end, streamPrefix: prefix, backwards: backwards)
    return entries(of: source, matching: query, backwards: backwards, limit: limit)
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
  ///   - query: The types and tags of the events to read. By default, all events are read.
  ///   - after: The revision that the read begins after, in its direction.
  ///   - start: The revision to begin at; by default the first, or the last if read backwards.
  ///   - end: The revision to end at, in the direction of the read.
  ///   - backwards: Whether to read the newest events first; the parts of a split then come last part first.
  ///   - limit: The number of events after which the read ends. Events that a split made of one entry are
  ///     read together, so there may be a few more.
  /// - Returns: A sequence that throws the errors of ``StoreEntries/next()``, `invalidName`, and `cancelled`
  ///   in a cancelled task.
  public func entries(
    in stream: StreamName, matching query: EventQuery<Event>? = nil, after: Revision? = nil,
    from start: Revision? = nil, through end: Revision? = nil, backwards: Bool = false, limit: Int = .max
  ) -> AsyncEntries<Entry<Event>> {
    let source = EntrySource(in: stream, after: after, from: start, through: end, backwards: backwards)
    return entries(
      of: source ?? .stream(stream, from: nil), matching: query, backwards: backwards,
      limit: source == nil ? 0 : limit)
  }

  private func entries(
    of source: EntrySource, matching query: EventQuery<Event>?, backwards: Bool, limit: Int
  ) -> AsyncEntries<Entry<Event>> {
    let reader = EntryReader(
      log.core, source, matching: query?.sourceByTags(reach), backwards: backwards, likely: limit)
    let steps = query?.steps(in: reach.plan)
    return AsyncEntries(
      EntryPages(reader, limit: limit) { [reach] (reader, limits) throws(AnnalsError) in
        try reader.events(limits, through: reach, selecting: steps, matching: query)
      })
  }
}
