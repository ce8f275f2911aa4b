public import AnnalsCoding

extension EventLog {
  /// Appends what `body` collects on the caller's actor, and returns to that actor.
  nonisolated(nonsending) func append(
    under condition: AppendCondition?, _ body: (inout AppendCall<NewEntry>) -> Void
  ) async throws(AnnalsError) -> Appended {
    // Swift 6.3 does not return to the caller's actor with an error that nothing catches here.
    do throws(AnnalsError) {
      return try await append(request(within: try await core.admit(options), condition, body))
    } catch { throw error }
  }

  func request(
    within room: consuming LogWriter.Admission?, _ condition: AppendCondition?,
    _ body: (inout AppendCall<NewEntry>) -> Void
  ) throws(AnnalsError) -> AppendRequest {
    var call = AppendCall<NewEntry>(time: .now, maximumPayload: options.maximumPayload, core.spare)
    body(&call)
    var (request, _) = try call.finish()
    if let condition { request.conditions = [condition] }
    request.take(room)
    return request
  }

  /// Passes an encoded call to the writer.
  package func append(_ request: consuming AppendRequest) async throws(AnnalsError) -> Appended {
    try mustTakeAppends()
    if let sequencer = options.sequencer { return try await sequencer.append(request) }
    return try await core.append(consume request, options)
  }

  /// Passes an encoded call to the writer, and blocks the calling thread until it is answered.
  package func append(blocking request: consuming AppendRequest) throws(AnnalsError) -> Appended {
    try mustTakeAppends()
    if let sequencer = options.sequencer { return try sequencer.appendBlocking(request) }
    return try core.appendBlocking(consume request, options)
  }

  /// Applies changes in the order of a log that several machines share, in one transaction, and blocks the
  /// calling thread meanwhile.
  ///
  /// - Returns: The verdict on each call, in order. A refused call has changed nothing.
  /// - Throws: Any error that is no verdict; nothing of the batch is applied then.
  package func apply(_ batch: SequencedBatch) throws(AnnalsError) -> SequencedAnswers {
    try mustTakeAppends()
    return try core.apply(batch)
  }

  private func mustTakeAppends() throws(AnnalsError) {
    guard options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
  }
}

// Appends for code that is not asynchronous.
extension EventLog {
  /// Appends `events` to the end of `stream`, all of them or none, and blocks the calling thread until they
  /// are durable.
  ///
  /// It does the same as the asynchronous form, but for callers outside of tasks. Inside a task the compiler
  /// chooses the asynchronous form. A call cannot be cancelled.
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
    _ events: [NewEntry], to stream: StreamName, expecting expected: Expectation = .any
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
    _ body: (inout AppendCall<NewEntry>) -> Void
  ) throws(AnnalsError) -> Appended {
    try append(blocking: request(within: try core.admitBlocking(options), nil, body))
  }
}
