public import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Makes a decision on the newest state of a stream, and appends the resulting events.
  ///
  /// The events are appended only if the stream has not changed since the state was loaded. If it has, the
  /// state is loaded and the decision made again.
  ///
  /// Decisions of one process on the same stream take turns in the order of their calls, so a conflict can
  /// only come from another process or from an append without `decide`. After a conflict, the call pauses for
  /// a random time of up to 1 ms, twice as long after each further one, up to 128 ms. It keeps its turn
  /// meanwhile. A cancelled task that waits leaves the line at once.
  ///
  /// The decision runs on the caller's actor, and on Swift's thread pool if the caller has none. Loading and
  /// appending never run on an actor.
  ///
  /// - Parameters:
  ///   - aggregate: The aggregate to load.
  ///   - stream: The stream.
  ///   - attempts: The maximum number of attempts, from 1.
  ///   - timeout: The time after which no attempt begins; by default there is none. An append that has begun
  ///     is finished.
  ///   - decision: Returns the events that follow from a state, possibly none, and throws to refuse. It may
  ///     run several times and must return the same for the same state: no clock, no randomness, no outside
  ///     effects. It must not wait for another decision.
  /// - Returns: The positions of the events.
  /// - Throws: The errors of `decision`; ``AnnalsError`` with code `conflict` if the stream changed during
  ///   every attempt, or during the last one before the timeout, `busy` if the timeout passed before the
  ///   turn, `cancelled`, `wrongUse` for less than one attempt, and the errors of `load` and `append`.
  /// - Complexity: A load and an append for each attempt.
  @discardableResult
  nonisolated(nonsending) public func decide<A: Aggregate>(
    _ aggregate: A.Type, on stream: StreamName, attempts: Int = 5, timeout: Duration? = nil,
    _ decision: (A.State) throws -> [Event]
  ) async throws -> Appended where A.Event == Event {
    try await decide(aggregate, on: stream, attempts: attempts, timeout: timeout) { state in
      try decision(state).map { NewEvent<Event>($0) }
    }
  }

  /// Makes a decision on the newest state of a stream, and appends the resulting events with the caller's
  /// ids, metadata or times.
  ///
  /// - Returns: The positions of the events.
  /// - Throws: As the other form.
  @discardableResult
  @_disfavoredOverload
  nonisolated(nonsending) public func decide<A: Aggregate>(
    _ aggregate: A.Type, on stream: StreamName, attempts: Int = 5, timeout: Duration? = nil,
    _ decision: (A.State) throws -> [NewEvent<Event>]
  ) async throws -> Appended where A.Event == Event {
    try await decide(aggregate, on: [stream], attempts: attempts, timeout: timeout) { states in
      var events = DecidedEvents<Event>()
      events.append(try decision(try states[stream]), to: stream)
      return events
    }
  }

  /// Makes a decision on the newest states of several streams, and appends the resulting events to any of
  /// them.
  ///
  /// ```swift
  /// try await store.decide(Account.self, on: [from, to]) { accounts in
  ///   guard try accounts[from].balance >= 30 else { throw Refusal.tooLittle }
  ///   return [from: [.withdrawn(.init(amount: 30))], to: [.deposited(.init(amount: 30))]]
  /// }
  /// ```
  ///
  /// All states are from one snapshot. The events are appended by one call, all of them or none, and only if
  /// none of the streams has changed since, including those that receive no events. Otherwise it works like
  /// the form for one stream, and takes one turn for all streams.
  ///
  /// - Parameters:
  ///   - aggregate: The aggregate to load from each stream.
  ///   - streams: The streams, at least one.
  ///   - attempts: The maximum number of attempts, from 1.
  ///   - timeout: The time after which no attempt begins; by default there is none.
  ///   - decision: Returns the events that follow from the states, possibly none, and throws to refuse. It
  ///     may run several times and must return the same for the same states.
  /// - Returns: The positions of the events, in the order of the decision.
  /// - Throws: As the form for one stream; `wrongUse` also without a stream, and for an event for a stream
  ///   that is not in `streams`.
  /// - Complexity: A load of each stream and an append for each attempt.
  @discardableResult
  nonisolated(nonsending) public func decide<A: Aggregate>(
    _ aggregate: A.Type, on streams: [StreamName], attempts: Int = 5, timeout: Duration? = nil,
    _ decision: (LoadedStreams<A>) throws -> DecidedEvents<Event>
  ) async throws -> Appended where A.Event == Event {
    try await decide(
      on: StreamBasis<Plan, A>(self, streams), DecisionRetries(attempts: attempts, timeout: timeout), decision
    )
  }

  /// Makes a decision on any facts, in the loop that all forms share.
  nonisolated(nonsending) func decide<Basis: DecisionBasis>(
    on basis: Basis, _ retries: DecisionRetries,
    _ decision: (Basis.State) throws -> DecidedEvents<Basis.Event>
  ) async throws -> Appended {
    var loop = DecisionLoop(turns: log.core.decisionTurns, retries: retries, clock: ContinuousClock())
    loop.observer = log.options.observer
    return try await loop.run(on: basis, decision)
  }
}
