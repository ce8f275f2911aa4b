internal import AnnalsSchema
public import AnnalsCoding
public import AnnalsLog
public import AnnalsStore

extension EventStore {
  /// Appends `events` to the end of `stream`, and waits until reads of `view` include them.
  ///
  /// ```swift
  /// try await store.append([.walked(.init(who: "Ann", metres: 800))], to: "walks", waitingFor: view)
  /// let ann = try view.get(Distances.Walker.self, "Ann")
  /// ```
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  ///   - view: A view of this store.
  ///   - timeout: The longest time to wait for the view after the events are stored.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` with code `viewLags` if the events are stored but the view has not reached
  ///   them, because the time has passed, the task was cancelled, or the view has stopped. `details.position`
  ///   is the position of the last event, and `underlying` the reason. Do not append the events again.
  ///   `wrongUse` if the view belongs to another store; in that case nothing is stored. All other codes are
  ///   as for the form without a view.
  @discardableResult
  public func append<P: Projection>(
    _ events: [Event], to stream: StreamName, expecting expected: Expectation = .any,
    waitingFor view: View<P>, timeout: Duration = .seconds(10)
  ) async throws(AnnalsError) -> Appended where P.Event == Event {
    try await append(waitingFor: view, timeout: timeout) { call in
      call.append(events, to: stream, expecting: expected)
    }
  }

  /// Appends events with their own ids, metadata or times to the end of `stream`, and waits until reads of
  /// `view` include them.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  ///   - view: A view of this store.
  ///   - timeout: The longest time to wait for the view after the events are stored.
  /// - Returns: The places of the events.
  /// - Throws: As the other forms.
  @_disfavoredOverload
  @discardableResult
  public func append<P: Projection>(
    _ events: [NewEvent<Event>], to stream: StreamName, expecting expected: Expectation = .any,
    waitingFor view: View<P>, timeout: Duration = .seconds(10)
  ) async throws(AnnalsError) -> Appended where P.Event == Event {
    try await append(waitingFor: view, timeout: timeout) { call in
      call.append(events, to: stream, expecting: expected)
    }
  }

  /// Appends events to several streams, and waits until reads of `view` include them.
  ///
  /// - Parameters:
  ///   - view: A view of this store.
  ///   - timeout: The longest time to wait for the view after the events are stored.
  ///   - body: Collects the events to append and the streams to check.
  /// - Returns: The places of the events, in the order of the call.
  /// - Throws: As the other forms.
  @discardableResult
  nonisolated(nonsending) public func append<P: Projection>(
    waitingFor view: View<P>, timeout: Duration = .seconds(10),
    _ body: (inout AppendCall<NewEvent<Event>>) -> Void
  ) async throws(AnnalsError) -> Appended where P.Event == Event {
    try view.mustBe(of: self)
    let done = try await append(body)
    guard let position = done.position else { return done }
    do throws(AnnalsError) { try await view.waitUntil(position, timeout: timeout) } catch {
      throw AnnalsError(
        .viewLags,
        "the events are stored, the last at position \(position), and the view '\(P.name)' has not reached them: wait with waitUntil(\(position)), and do not append them again (\(error.message))",
        details: AnnalsError.Details {
          $0.position = position
          $0.waited = error.details.waited
        }, underlying: error)
    }
    return done
  }
}
