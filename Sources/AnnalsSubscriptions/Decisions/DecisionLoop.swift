internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema

/// The facts on which a decision is made, and the append that relies on them.
///
/// The forms of `decide` differ in this alone: in what they load, and in the condition of their appends.
protocol DecisionBasis<State, Event>: Sendable {
  /// The state that the decision is made on.
  associatedtype State: Sendable
  /// The events of the plan's current version.
  associatedtype Event: SchemaEvent
  /// What the append needs to know of the loaded facts.
  associatedtype Condition: Sendable

  /// The name of the aggregate or the model.
  var name: String { get }

  /// The first stream of the decision; `nil` for a decision on the events of a query.
  var stream: StreamName? { get }

  /// The keys that decisions on the same facts have in common, at least one.
  var keys: Set<DecisionKey> { get }

  /// Loads the newest facts, in one snapshot.
  func load() throws(AnnalsError) -> (state: State, condition: Condition)

  /// Appends events, if nothing that was loaded has changed.
  ///
  /// - Throws: ``AnnalsError`` with code `conflict` if something has changed.
  func append(
    _ events: DecidedEvents<Event>, under condition: Condition
  ) async throws(AnnalsError) -> Appended
}

/// The loop of all forms of `decide`: wait for the turn, load, decide, append. It repeats after a conflict.
struct DecisionLoop<C: Clock<Duration>>: Sendable {
  let turns: DecisionTurns
  let retries: DecisionRetries
  let clock: C
  /// The observer of the store.
  var observer: (any StoreObserver)? = nil
  /// Returns a random number from 0 to below 1.
  var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }

  /// Makes a decision on the caller's actor, and appends its events.
  nonisolated(nonsending) func run<Basis: DecisionBasis>(
    on basis: Basis, _ decide: (Basis.State) throws -> DecidedEvents<Basis.Event>
  ) async throws -> Appended {
    let keys = basis.keys
    guard retries.attempts > 0 else {
      throw AnnalsError(
        .wrongUse,
        "a decision is made at least once, and \(retries.attempts) attempts were asked for")
    }
    let start = clock.now
    let turn = try await turns.take(keys, within: retries.timeout, by: clock)
    var attempt = 1
    while true {
      if Task.isCancelled { throw AnnalsError(cancelledOn: keys) }
      let (state, condition) = try await load(basis)
      let events = try decide(state)
      if events.isEmpty { return Appended(positions: [], revisions: [], wasRepeated: false) }
      do throws(AnnalsError) {
        let appended = try await basis.append(events, under: condition)
        _ = consume turn
        return appended
      } catch {
        guard error.code == .conflict else { throw error }
        let elapsed = start.duration(to: clock.now)
        switch retries.next(afterAttempt: attempt, elapsed: elapsed, chance: chance()) {
        case .stop, .timedOut: throw error
        case .retry(let pause):
          // The turn is kept meanwhile, so that decisions of this process remain in the order of arrival.
          do { try await clock.sleep(for: pause) } catch { throw AnnalsError(cancelledOn: keys) }
        }
      }
      attempt += 1
      observer?.retried(
        RetryActivity(work: .decision, name: basis.name, stream: basis.stream, attempt: attempt))
    }
  }

  /// Loads on no actor, because a load may take long and the caller may be the main actor.
  @concurrent private func load<Basis: DecisionBasis>(
    _ basis: Basis
  ) async throws(AnnalsError) -> (state: Basis.State, condition: Basis.Condition) {
    try basis.load()
  }
}
