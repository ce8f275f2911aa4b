public import AnnalsCoding
public import AnnalsFormat

extension EventLog {
  /// Appends `events` to the end of `stream` if no entry after a position matches a query.
  ///
  /// ```swift
  /// let query: LogQuery = [.init(tags: ["course:c1"])]
  /// let known = try log.read { snapshot throws(AnnalsError) in try snapshot.head() }
  /// try await log.append([enrolled], to: "enrolments", unless: query, after: known)
  /// ```
  ///
  /// The condition is checked when the events are stored, so no entry can come in between. Entries of earlier
  /// calls in the same commit count. A call that is repeated with the same event ids is recognised before its
  /// condition is checked.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  ///   - query: The query that no entry may match.
  ///   - position: The position after which entries are checked, such as the head of the snapshot that the
  ///     decision was made from; `nil` for all entries.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` as the other forms; `conflict` with the position of the first entry that
  ///   matches; `invalidName` for a tag that no event can have.
  /// - Complexity: As the other forms. Entries are read only if a tag of the query was used after the
  ///   position. An item without tags reads every entry after it.
  @discardableResult
  public func append(
    _ events: [NewEntry], to stream: StreamName = "events", expecting expected: Expectation = .any,
    unless query: LogQuery, after position: Position? = nil
  ) async throws(AnnalsError) -> Appended {
    try await append(unless: query, after: position) { call in
      call.append(events, to: stream, expecting: expected)
    }
  }

  /// Appends events to several streams if every expectation holds and no entry after a position matches a
  /// query.
  ///
  /// - Parameters:
  ///   - query: The query that no entry may match.
  ///   - position: The position after which entries are checked; `nil` for all entries.
  ///   - body: Collects the events to append and the streams to check.
  /// - Returns: The places of the events, in the order of the call.
  /// - Throws: As the other forms.
  @discardableResult
  nonisolated(nonsending) public func append(
    unless query: LogQuery, after position: Position? = nil,
    _ body: (inout AppendCall<NewEntry>) -> Void
  ) async throws(AnnalsError) -> Appended {
    try await append(under: query.condition(after: position), body)
  }

  /// Appends `events` to the end of `stream` if no entry after a position matches a query, and blocks the
  /// calling thread until they are durable.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  ///   - query: The query that no entry may match.
  ///   - position: The position after which entries are checked; `nil` for all entries.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` as the asynchronous form, except `cancelled`.
  @discardableResult
  public func append(
    _ events: [NewEntry], to stream: StreamName = "events", expecting expected: Expectation = .any,
    unless query: LogQuery, after position: Position? = nil
  ) throws(AnnalsError) -> Appended {
    try append(unless: query, after: position) { call in
      call.append(events, to: stream, expecting: expected)
    }
  }

  /// Appends events to several streams if every expectation holds and no entry after a position matches a
  /// query, and blocks the calling thread until they are durable.
  ///
  /// - Parameters:
  ///   - query: The query that no entry may match.
  ///   - position: The position after which entries are checked; `nil` for all entries.
  ///   - body: Collects the events to append and the streams to check.
  /// - Returns: The places of the events, in the order of the call.
  /// - Throws: ``AnnalsError`` as the asynchronous form, except `cancelled`.
  @discardableResult
  public func append(
    unless query: LogQuery, after position: Position? = nil,
    _ body: (inout AppendCall<NewEntry>) -> Void
  ) throws(AnnalsError) -> Appended {
    let condition = try query.condition(after: position)
    return try append(blocking: request(within: try core.admitBlocking(options), condition, body))
  }
}
