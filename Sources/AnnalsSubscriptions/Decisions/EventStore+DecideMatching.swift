public import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Makes a decision on the events that match a query, and appends the resulting events unless another event
  /// has matched it since.
  ///
  /// ```swift
  /// let query = EventQuery<Event>.any(of: [
  ///   EventQuery(tags: ["course:\(course)"]), EventQuery([\.enrolled], tags: ["student:\(student)"]),
  /// ])
  /// try await store.decide(Booking(course: course, student: student), matching: query) { booking in
  ///   guard booking.freeSeats > 0, booking.courses < 10 else { throw Refusal.notPossible }
  ///   return [.enrolled(.init(course: course, student: student))]
  /// }
  /// ```
  ///
  /// The matching events are folded into the model, in the order of the log and in one snapshot. The append
  /// fails if any event after that snapshot matches, in any stream. In that case the events are folded and
  /// the decision is made again. The query must match every event that can change the decision.
  ///
  /// Decisions of one process whose queries have a tag in common take turns in the order of their calls.
  /// Items without a tag take turns by their types. Attempts, pauses, the timeout, cancellation and
  /// the actor of the decision are as in the form for streams.
  ///
  /// - Parameters:
  ///   - model: The model before the first event.
  ///   - query: The events to fold, which no other append may add to meanwhile.
  ///   - stream: The stream of the resulting events. No expectation applies to it.
  ///   - attempts: The maximum number of attempts, from 1.
  ///   - timeout: The time after which no attempt begins; by default there is none.
  ///   - decision: Returns the events that follow from the facts, possibly none, and throws to refuse. It may
  ///     run several times and must return the same for the same facts: no clock, no randomness, no outside
  ///     effects. It must not wait for another decision.
  /// - Returns: The positions of the events.
  /// - Throws: The errors of `decision`; ``AnnalsError`` with code `conflict` if an event matched during
  ///   every attempt or during the last one before the timeout, `busy` if the timeout passed before the turn,
  ///   `cancelled`, `ruleFailed` for an error of the fold, `wrongUse` for less than one attempt, and the
  ///   errors of reads and `append`.
  /// - Complexity: For each attempt, a read of all matching events and an append. If each item of the query
  ///   has a tag, no other entries are read.
  @discardableResult
  nonisolated(nonsending) public func decide<Model: DecisionModel>(
    _ model: Model, matching query: EventQuery<Event>, to stream: StreamName = "events", attempts: Int = 5,
    timeout: Duration? = nil, _ decision: (Model) throws -> [Event]
  ) async throws -> Appended where Model.Event == Event {
    try await decide(model, matching: query, attempts: attempts, timeout: timeout) { model in
      [stream: try decision(model)]
    }
  }

  /// Makes a decision on the events that match a query, and appends the resulting events to any streams
  /// unless another event has matched it since.
  ///
  /// - Parameters:
  ///   - model: The model before the first event.
  ///   - query: The events to fold, which no other append may add to meanwhile.
  ///   - attempts: The maximum number of attempts, from 1.
  ///   - timeout: The time after which no attempt begins; by default there is none.
  ///   - decision: Returns the events that follow from the facts, each with its stream.
  /// - Returns: The positions of the events, in the order of the decision.
  /// - Throws: As the form for one stream.
  @discardableResult
  nonisolated(nonsending) public func decide<Model: DecisionModel>(
    _ model: Model, matching query: EventQuery<Event>, attempts: Int = 5, timeout: Duration? = nil,
    _ decision: (Model) throws -> DecidedEvents<Event>
  ) async throws -> Appended where Model.Event == Event {
    let basis = QueryBasis(store: self, model: model, name: String(describing: Model.self), query: query)
    return try await decide(on: basis, DecisionRetries(attempts: attempts, timeout: timeout), decision)
  }

  /// Makes a decision on the state that the events of a query add up to by the fold of an aggregate, and
  /// appends the resulting events unless another event has matched it since.
  ///
  /// It works like the form for a ``DecisionModel``. All matching events are folded; snapshots exist only for
  /// single streams, and are not used.
  ///
  /// - Parameters:
  ///   - aggregate: The aggregate whose fold is used.
  ///   - query: The events to fold, which no other append may add to meanwhile.
  ///   - stream: The stream of the resulting events. No expectation applies to it.
  ///   - attempts: The maximum number of attempts, from 1.
  ///   - timeout: The time after which no attempt begins; by default there is none.
  ///   - decision: Returns the events that follow from the state.
  /// - Returns: The positions of the events.
  /// - Throws: As the form for a ``DecisionModel``.
  @discardableResult
  nonisolated(nonsending) public func decide<A: Aggregate>(
    _ aggregate: A.Type, matching query: EventQuery<Event>, to stream: StreamName = "events",
    attempts: Int = 5, timeout: Duration? = nil, _ decision: (A.State) throws -> [Event]
  ) async throws -> Appended where A.Event == Event {
    try await decide(aggregate, matching: query, attempts: attempts, timeout: timeout) { state in
      [stream: try decision(state)]
    }
  }

  /// Makes a decision on the state that the events of a query add up to by the fold of an aggregate, and
  /// appends the resulting events to any streams unless another event has matched it since.
  ///
  /// - Parameters:
  ///   - aggregate: The aggregate whose fold is used.
  ///   - query: The events to fold, which no other append may add to meanwhile.
  ///   - attempts: The maximum number of attempts, from 1.
  ///   - timeout: The time after which no attempt begins; by default there is none.
  ///   - decision: Returns the events that follow from the state, each with its stream.
  /// - Returns: The positions of the events, in the order of the decision.
  /// - Throws: As the form for a ``DecisionModel``.
  @discardableResult
  nonisolated(nonsending) public func decide<A: Aggregate>(
    _ aggregate: A.Type, matching query: EventQuery<Event>, attempts: Int = 5, timeout: Duration? = nil,
    _ decision: (A.State) throws -> DecidedEvents<Event>
  ) async throws -> Appended where A.Event == Event {
    let basis = QueryBasis(store: self, model: AggregateModel<A>(), name: A.name, query: query)
    return try await decide(on: basis, DecisionRetries(attempts: attempts, timeout: timeout)) { model in
      try decision(model.state)
    }
  }
}
