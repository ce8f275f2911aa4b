public import AnnalsCoding
public import AnnalsLog
internal import AnnalsSchema

extension EventStore {
  /// Appends `events` to the end of `stream` if no event after a position matches a query.
  ///
  /// ```swift
  /// let query = EventQuery<Event>([\.enrolled, \.left], tags: ["course:c1"])
  /// let known = try store.read { snapshot throws(AnnalsError) in try snapshot.head() }
  /// try await store.append([.enrolled(enrolment)], to: "enrolments", unless: query, after: known)
  /// ```
  ///
  /// The condition is checked when the events are stored, so no event can come in between. Events of earlier
  /// calls in the same commit count. A call that is repeated with the same event ids is recognised before its
  /// condition is checked, and the expectation of the stream is checked first.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  ///   - query: The query that no event may match.
  ///   - position: The position after which events are checked, such as the head of the snapshot that the
  ///     decision was made from; `nil` for all events.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` as the other forms; `conflict` with the position of the first event that
  ///   matches; `invalidName` for a tag that no event can have.
  /// - Complexity: As the other forms. Entries are read only if a tag of the query was used after the
  ///   position. An item without tags reads every entry after it.
  @discardableResult
  public func append(
    _ events: [Event], to stream: StreamName = "events", expecting expected: Expectation = .any,
    unless query: EventQuery<Event>, after position: Position? = nil
  ) async throws(AnnalsError) -> Appended {
    try await append(unless: query, after: position) { call in
      call.append(events, to: stream, expecting: expected)
    }
  }

  /// Appends events with their own ids, metadata, times or tags to the end of `stream` if no event after a
  /// position matches a query.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  ///   - query: The query that no event may match.
  ///   - position: The position after which events are checked; `nil` for all events.
  /// - Returns: The places of the events.
  /// - Throws: As the other forms, and `duplicateID` or `partialDuplicate`.
  @_disfavoredOverload
  @discardableResult
  public func append(
    _ events: [NewEvent<Event>], to stream: StreamName = "events", expecting expected: Expectation = .any,
    unless query: EventQuery<Event>, after position: Position? = nil
  ) async throws(AnnalsError) -> Appended {
    try await append(unless: query, after: position) { call in
      call.append(events, to: stream, expecting: expected)
    }
  }

  /// Appends events to several streams if every expectation holds and no event after a position matches a
  /// query.
  ///
  /// - Parameters:
  ///   - query: The query that no event may match.
  ///   - position: The position after which events are checked; `nil` for all events.
  ///   - body: Collects the events to append and the streams to check.
  /// - Returns: The places of the events, in the order of the call.
  /// - Throws: As the other forms.
  @discardableResult
  nonisolated(nonsending) public func append(
    unless query: EventQuery<Event>, after position: Position? = nil,
    _ body: (inout AppendCall<NewEvent<Event>>) -> Void
  ) async throws(AnnalsError) -> Appended {
    try await append(under: query.condition(after: position, reach), body)
  }
}

// Conditional appends for code that is not asynchronous.
extension EventStore {
  /// Appends `events` to the end of `stream` if no event after a position matches a query, and blocks the
  /// calling thread until they are durable.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  ///   - query: The query that no event may match.
  ///   - position: The position after which events are checked; `nil` for all events.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` as the asynchronous form, except `cancelled`.
  @discardableResult
  public func append(
    _ events: [Event], to stream: StreamName = "events", expecting expected: Expectation = .any,
    unless query: EventQuery<Event>, after position: Position? = nil
  ) throws(AnnalsError) -> Appended {
    try append(unless: query, after: position) { call in
      call.append(events, to: stream, expecting: expected)
    }
  }

  /// Appends events with their own ids, metadata, times or tags to the end of `stream` if no event after a
  /// position matches a query, and blocks the calling thread until they are durable.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  ///   - query: The query that no event may match.
  ///   - position: The position after which events are checked; `nil` for all events.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` as the asynchronous form, except `cancelled`.
  @_disfavoredOverload
  @discardableResult
  public func append(
    _ events: [NewEvent<Event>], to stream: StreamName = "events", expecting expected: Expectation = .any,
    unless query: EventQuery<Event>, after position: Position? = nil
  ) throws(AnnalsError) -> Appended {
    try append(unless: query, after: position) { call in
      call.append(events, to: stream, expecting: expected)
    }
  }

  /// Appends events to several streams if every expectation holds and no event after a position matches a
  /// query, and blocks the calling thread until they are durable.
  ///
  /// - Parameters:
  ///   - query: The query that no event may match.
  ///   - position: The position after which events are checked; `nil` for all events.
  ///   - body: Collects the events to append and the streams to check.
  /// - Returns: The places of the events, in the order of the call.
  /// - Throws: ``AnnalsError`` as the asynchronous form, except `cancelled`.
  @discardableResult
  public func append(
    unless query: EventQuery<Event>, after position: Position? = nil,
    _ body: (inout AppendCall<NewEvent<Event>>) -> Void
  ) throws(AnnalsError) -> Appended {
    let condition = try query.condition(after: position, reach)
    return try appendBlocking(
      encode(within: try log.core.admitBlocking(log.options), unless: condition, body))
  }
}
