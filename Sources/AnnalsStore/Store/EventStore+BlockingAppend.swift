public import AnnalsCoding
public import AnnalsLog

// Appends for code that is not asynchronous.
extension EventStore {
  /// Appends `events` to the end of `stream`, all of them or none, and blocks the calling thread until they
  /// are durable.
  ///
  /// It does the same as the asynchronous form, but for callers outside of tasks: scripts, tools, other
  /// threads. Inside a task the compiler chooses the asynchronous form. A call cannot be cancelled.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events, nothing is written and no stream is created.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` as the asynchronous form, except `cancelled`.
  /// - Complexity: O(`events.count`), and one flush to disk for all calls that wait at the same time.
  @discardableResult
  public func append(
    _ events: [Event], to stream: StreamName, expecting expected: Expectation = .any
  ) throws(AnnalsError) -> Appended {
    try append { call in call.append(events, to: stream, expecting: expected) }
  }

  /// Appends events with their own ids, metadata or times to the end of `stream`, and blocks the calling
  /// thread until they are durable.
  ///
  /// Ids are recognised as by the asynchronous form.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` as the asynchronous form, except `cancelled`.
  @_disfavoredOverload
  @discardableResult
  public func append(
    _ events: [NewEvent<Event>], to stream: StreamName, expecting expected: Expectation = .any
  ) throws(AnnalsError) -> Appended {
    try append { call in call.append(events, to: stream, expecting: expected) }
  }

  /// Appends events to several streams if every expectation holds, and blocks the calling thread until they
  /// are durable.
  ///
  /// - Parameter body: Collects the events to append and the streams to check.
  /// - Returns: The places of the events, in the order of the call.
  /// - Throws: ``AnnalsError`` as the asynchronous form, except `cancelled`.
  @discardableResult
  public func append(
    _ body: (inout AppendCall<NewEvent<Event>>) -> Void
  ) throws(AnnalsError) -> Appended {
    try appendBlocking(encode(within: try log.core.admitBlocking(log.options), body))
  }

  /// Passes a call to the writer, encoded again for another phase of the version's roll-out if necessary, and
  /// blocks the calling thread.
  func appendBlocking(_ encoded: EncodedCall<Event>) throws(AnnalsError) -> Appended {
    var call = encoded
    while true {
      call.request.rules = rules(call.form)
      do throws(AnnalsError) { return try log.append(blocking: call.request) } catch {
        try encodeAgain(&call, after: error)
      }
    }
  }
}
