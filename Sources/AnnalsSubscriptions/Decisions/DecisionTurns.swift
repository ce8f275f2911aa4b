internal import AnnalsCoding
internal import AnnalsLog
import Synchronization

/// The turns at deciding in one process: for each key one caller at a time, in the order of arrival.
final class DecisionTurns: Sendable {
  /// How a caller's wait ended.
  enum Outcome: Sendable {
    /// It has its turn.
    case turn
    /// Its task was cancelled.
    case cancelled
    /// Its time was over.
    case expired
  }

  /// A caller's turn, which ends with this value.
  struct Turn: ~Copyable, Sendable {
    fileprivate let turns: DecisionTurns
    fileprivate let ticket: UInt64

    deinit { turns.leave(ticket) }
  }

  private struct State: Sendable {
    var order = TurnOrder<DecisionKey>()
    /// The tasks that wait for their turns.
    var waiting: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
    /// The ends of waits that were over before they began.
    var over: [UInt64: Outcome] = [:]
    /// The values that a caller with the turn for a key has left for the next one.
    var handed: [DecisionKey: any Sendable] = [:]
  }

  private let state = Mutex(State())

  /// The number of callers that have a turn or wait for one.
  var count: Int { state.withLock { $0.order.count } }

  /// Returns whether callers wait for a key.
  func isAwaited(_ key: DecisionKey) -> Bool { state.withLock { $0.order.isAwaited(key) } }

  /// Leaves a value for the next caller that has the turn for a key, unless none waits.
  func hand<Value: Sendable>(_ value: Value, for key: DecisionKey) {
    state.withLock { state in
      if state.order.isAwaited(key) { state.handed[key] = value }
    }
  }

  /// Returns the value that the last caller has left for a key, and forgets it; `nil` if there is none.
  func takeHanded<Value: Sendable>(for key: DecisionKey) -> Value? {
    state.withLock { $0.handed.removeValue(forKey: key) as? Value }
  }

  /// The number of values that are left for others.
  var handedCount: Int { state.withLock { $0.handed.count } }

  /// Waits for a turn for all of some keys, after the callers that came before.
  ///
  /// - Parameters:
  ///   - keys: The keys, at least one.
  ///   - limit: The longest wait; `nil` for no limit.
  ///   - clock: The clock of the wait.
  /// - Throws: ``AnnalsError`` with code `cancelled`, or `busy` after `limit`. The caller has left the line
  ///   then.
  func take<C: Clock<Duration>>(
    _ keys: Set<DecisionKey>, within limit: Duration?, by clock: C
  ) async throws(AnnalsError) -> Turn {
    let (ticket, hasTurn) = state.withLock { $0.order.join(keys) }
    if hasTurn { return Turn(turns: self, ticket: ticket) }
    switch await wait(ticket, within: limit, by: clock) {
    case .turn: return Turn(turns: self, ticket: ticket)
    case .cancelled: throw AnnalsError(cancelledOn: keys)
    case .expired: throw AnnalsError(waitedFor: keys, limit ?? .zero)
    }
  }

  private func wait<C: Clock<Duration>>(
    _ ticket: UInt64, within limit: Duration?, by clock: C
  ) async -> Outcome {
    guard let limit else { return await wait(ticket) }
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        // The clock adds it to the present, and ends the process if the sum has no room.
        do { try await clock.sleep(for: min(limit, .seconds(UInt32.max))) } catch { return }
        self.abandon(ticket, .expired)
      }
      let outcome = await self.wait(ticket)
      group.cancelAll()
      return outcome
    }
  }

  private func wait(_ ticket: UInt64) async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (answer: CheckedContinuation<Outcome, Never>) in
        let known = state.withLock { state -> Outcome? in
          if let outcome = state.over.removeValue(forKey: ticket) { return outcome }
          if state.order.hasTurn(ticket) { return .turn }
          state.waiting[ticket] = answer
          return nil
        }
        if let known { answer.resume(returning: known) }
      }
    } onCancel: {
      abandon(ticket, .cancelled)
    }
  }

  /// Ends the wait of a caller without its turn. A caller that has its turn already keeps it.
  private func abandon(_ ticket: UInt64, _ outcome: Outcome) {
    let (caller, next) = state.withLock {
      state -> (CheckedContinuation<Outcome, Never>?, [CheckedContinuation<Outcome, Never>]) in
      guard state.order.includes(ticket), !state.order.hasTurn(ticket) else { return (nil, []) }
      let caller = state.waiting.removeValue(forKey: ticket)
      if caller == nil { state.over[ticket] = outcome }
      return (caller, Self.leave(ticket, &state))
    }
    caller?.resume(returning: outcome)
    for caller in next { caller.resume(returning: .turn) }
  }

  /// Ends a caller's turn.
  private func leave(_ ticket: UInt64) {
    let next = state.withLock { Self.leave(ticket, &$0) }
    for caller in next { caller.resume(returning: .turn) }
  }

  private static func leave(
    _ ticket: UInt64, _ state: inout State
  ) -> [CheckedContinuation<Outcome, Never>] {
    let keys = state.handed.isEmpty ? [] : state.order.keys(of: ticket)
    let next = state.order.leave(ticket).compactMap { state.waiting.removeValue(forKey: $0) }
    // A value lives no longer than the line for its key.
    for key in keys where !state.order.isTaken(key) { state.handed[key] = nil }
    return next
  }
}

extension LogCore {
  /// The turns at deciding on the log, for all stores of this process at its path.
  var decisionTurns: DecisionTurns { attachments.value(DecisionTurns.self) { DecisionTurns() } }
}

extension AnnalsError {
  /// The error of a task that was cancelled before its decision was appended.
  init(cancelledOn keys: Set<DecisionKey>) {
    self.init(
      .cancelled, "\(Self.names(keys)): the task was cancelled before it decided; nothing was written",
      details: Details { $0.stream = Self.stream(keys) })
  }

  /// The error of a caller whose timeout passed before its turn.
  init(waitedFor keys: Set<DecisionKey>, _ time: Duration) {
    self.init(
      .busy,
      "\(Self.names(keys)): other decisions of this process had the turn for the whole timeout of \(time); nothing was written; try again, or allow more time",
      details: Details {
        $0.stream = Self.stream(keys)
        $0.waited = time
      })
  }

  private static func names(_ keys: Set<DecisionKey>) -> String {
    let names = keys.map(\.description).sorted()
    return names.prefix(4).joined(separator: ", ") + (names.count > 4 ? " and \(names.count - 4) more" : "")
  }

  private static func stream(_ keys: Set<DecisionKey>) -> StreamName? {
    guard keys.count == 1, case .stream(let stream) = keys.first else { return nil }
    return stream
  }
}
