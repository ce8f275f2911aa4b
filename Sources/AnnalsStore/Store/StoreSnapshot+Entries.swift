public import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema

extension StoreSnapshot {
  /// Returns the events of the whole store, or of some streams, in order.
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
  /// - Throws: ``AnnalsError`` with code `invalidName` for a tag that no event can have, `damaged` or
  ///   `inputOutput`.
  /// - Complexity: If each item of the query has a tag, only entries with these tags are read. Otherwise the
  ///   read passes every entry at the speed of ``LogSnapshot/scan(from:backwards:limit:)`` and decodes those
  ///   that may match.
  @_lifetime(borrow self)
  public func entries(
    matching query: EventQuery<Event>? = nil, streamPrefix prefix: String? = nil, after: Position? = nil,
    from start: Position? = nil, through end: Position? = nil, backwards: Bool = false, limit: Int = .max
  ) throws(AnnalsError) -> StoreEntries<Event> {
    let source = EntrySource(
      after: after, from: start, through: end, streamPrefix: prefix, backwards: backwards)
    let steps = try log.steps(of: source, matching: query?.sourceByTags(resolver), backwards: backwards)
    return StoreEntries(
      try EntryCursor(log.reader, steps), upcaster(selecting: query), matching: query, backwards: backwards,
      limit: limit)
  }

  /// Returns the events of one stream, in order. A stream that does not exist has none.
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
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged` or `inputOutput`.
  /// - Complexity: The first entry is found through at most 3 · log₄(length) others.
  @_lifetime(borrow self)
  public func entries(
    in stream: StreamName, matching query: EventQuery<Event>? = nil, after: Revision? = nil,
    from start: Revision? = nil, through end: Revision? = nil, backwards: Bool = false, limit: Int = .max
  ) throws(AnnalsError) -> StoreEntries<Event> {
    let source = EntrySource(in: stream, after: after, from: start, through: end, backwards: backwards)
    let steps = try log.steps(
      of: source ?? .stream(stream, from: nil), matching: query?.sourceByTags(resolver),
      backwards: backwards, likely: limit)
    return StoreEntries(
      try EntryCursor(log.reader, steps), upcaster(selecting: query), matching: query, backwards: backwards,
      limit: source == nil ? 0 : limit)
  }

  /// The upcaster for a read, which leaves out entries that cannot match.
  private func upcaster(selecting query: EventQuery<Event>?) -> Upcaster {
    guard let steps = query?.steps(in: resolver.plan) else { return upcaster }
    var selecting = upcaster
    selecting.select(steps)
    return selecting
  }
}
