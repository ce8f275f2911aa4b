internal import AnnalsCoding
import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Publishes the calls of this process until the log has them, or until their callers stop to wait.
///
/// An attempt without an answer is repeated with the same bytes and the same id. Copies are recognised when
/// they are applied, so a caller gets the verdict on the first one.
final class CallPublisher: Sendable {
  private struct State {
    var queue = CallQueue()
    /// The messages that count as under way in the queue.
    var underWay: [CallGroup] = []
    /// The messages that the log has acknowledged and this machine has not applied.
    var acknowledged: [(sequence: UInt64, way: Way)] = []
    /// The sequence up to which all verdicts are given.
    var applied: UInt64
    var isClosed = false
  }

  /// A message on its way to the log.
  private struct Way: Sendable {
    let group: CallGroup
    /// Whether an attempt may have got through.
    var isPossiblyStored = false
    /// The number of attempts.
    var attempts = 0
  }

  /// The longest time for which a call waits for others although it could leave.
  private static let patience = Duration.microseconds(200)
  /// The longest time for one attempt.
  private static let attempt = Duration.seconds(2)
  /// The rest between two attempts, at first and at most.
  private static let rests = (shortest: Duration.milliseconds(50), longest: Duration.seconds(1))

  private let log: any ReplicatedLog
  private let cluster: UUID
  private let state: Mutex<State>

  /// Creates the publisher of a member.
  ///
  /// - Parameters:
  ///   - cluster: The id of the cluster's log.
  ///   - applied: The sequence that the machine has applied.
  init(_ log: any ReplicatedLog, cluster: UUID, applied: UInt64) {
    self.log = log
    self.cluster = cluster
    state = Mutex(State(applied: applied))
  }

  /// Publishes a call, alone or with others.
  func publish(_ call: PendingCall) {
    guard case .call = call.content else {
      attempt(Way(group: CallGroup([call], log: cluster)))
      return
    }
    change { state in state.queue.add(call) }
  }

  /// Takes note that so many callers are about to get their verdicts.
  func expect(_ count: Int) { state.withLock { $0.queue.expect(count) } }

  /// Takes note that all verdicts on messages up to a sequence are given, which makes room for more.
  ///
  /// A message that is acknowledged at such a sequence and has no verdict was lost: the log has another one
  /// there.
  func applied(upTo sequence: UInt64) {
    let ways = state.withLock { state in
      state.applied = max(state.applied, sequence)
      let due = state.acknowledged.filter { $0.sequence <= sequence }
      if !due.isEmpty { state.acknowledged.removeAll { $0.sequence <= sequence } }
      return due.map(\.way)
    }
    makeRoom()
    for way in ways { repeatLater(way) }
  }

  /// Ends the place of messages whose callers all have an answer.
  private func makeRoom() {
    change { state in
      var (calls, messages) = (0, 0)
      state.underWay.removeAll { group in
        guard group.isAnswered else { return false }
        calls += group.calls.count
        messages += 1
        return true
      }
      return messages == 0 ? [] : state.queue.arrived(calls: calls, in: messages)
    }
  }

  /// Gives the callers that stop to wait an error, at the deadline of each.
  ///
  /// - Parameters:
  ///   - calls: Returns the calls without a verdict.
  ///   - limit: The time after which any later call stops to wait.
  func keepDeadlines(_ limit: Duration, of calls: @Sendable () -> [PendingCall]?) async {
    while !Task.isCancelled {
      let now = ContinuousClock.now
      for call in state.withLock({ $0.queue.expire(now: now) }) {
        call.answer(.failure(AnnalsError.notPublished))
      }
      guard let open = calls() else { return }
      var next = now + limit
      for call in open {
        if call.deadline <= now {
          call.answer(.failure(AnnalsError.noVerdict))
        } else if call.deadline < next {
          next = call.deadline
        }
      }
      makeRoom()
      do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
    }
  }

  /// Publishes nothing more.
  func close() { state.withLock { $0.isClosed = true } }

  // MARK: The way of a message

  /// Changes what waits, and publishes the calls that leave.
  private func change(_ body: (inout State) -> [PendingCall]) {
    let (group, hold) = state.withLock { state in
      let before = state.queue.holds
      let leaving = body(&state)
      let group = leaving.isEmpty ? nil : CallGroup(leaving, log: cluster)
      if let group { state.underWay.append(group) }
      return (group, before == state.queue.holds ? nil : state.queue.holds)
    }
    if let group { attempt(Way(group: group)) }
    guard let hold else { return }
    Task(executorPreference: TaskThreads.shared) { [self] in
      try? await Task.sleep(for: Self.patience)
      change { $0.queue.release(hold) }
    }
  }

  private func attempt(_ way: Way) {
    let left = ContinuousClock.now.duration(to: way.group.deadline)
    guard left > .zero, !way.group.isAnswered, !state.withLock({ $0.isClosed }) else {
      leave(way.group)
      return
    }
    var way = way
    way.attempts += 1
    log.publish(way.group.message, id: way.group.id, within: min(left, Self.attempt)) { [self, way] result in
      switch result {
      case .success(let sequence): acknowledged(way, at: sequence)
      case .failure(let error): failed(way, error)
      }
    }
  }

  private func acknowledged(_ way: Way, at sequence: UInt64) {
    var next = way
    next.isPossiblyStored = true
    let isApplied = state.withLock { state in
      guard state.applied < sequence else { return true }
      state.acknowledged.append((sequence, next))
      return false
    }
    if isApplied { repeatLater(next) }
  }

  private func failed(_ way: Way, _ error: AnnalsError) {
    var way = way
    if error.code == .unavailable {
      way.isPossiblyStored = true
      return repeatLater(way)
    }
    // An earlier attempt may have got through all the same.
    if !way.isPossiblyStored { refused(way, error) }
    leave(way.group)
  }

  /// Tries calls that the log does not take together again, in two messages.
  private func refused(_ way: Way, _ error: AnnalsError) {
    let calls = way.group.calls
    guard error.code == .tooLarge, calls.count > 1 else {
      for call in calls { call.answer(.failure(error)) }
      return
    }
    state.withLock { $0.queue.refused(bytes: way.group.message.count) }
    for half in [calls.prefix(calls.count / 2), calls.dropFirst(calls.count / 2)] {
      attempt(Way(group: CallGroup(Array(half), log: cluster)))
    }
  }

  private func repeatLater(_ way: Way) {
    guard !way.group.isAnswered else { return leave(way.group) }
    let rest = min(Self.rests.shortest * (1 << min(way.attempts - 1, 6)), Self.rests.longest)
    Task(executorPreference: TaskThreads.shared) { [self] in
      try? await Task.sleep(for: rest)
      attempt(way)
    }
  }

  /// Lets calls leave that have waited for the place of a message, unless it has none any more.
  private func leave(_ group: CallGroup) {
    change { state in
      guard let index = state.underWay.firstIndex(where: { $0 === group }) else { return [] }
      state.underWay.remove(at: index)
      return state.queue.arrived(calls: group.calls.count, in: 1)
    }
  }
}

extension AnnalsError {
  /// The error for a call whose verdict did not come in time.
  static var noVerdict: AnnalsError {
    AnnalsError(
      .unavailable,
      "the cluster's log gave no verdict on the call before its deadline, so it may be stored or not: try again with the same event ids, or read the stream first; without a quorum of the log's servers nothing can be appended"
    )
  }

  /// The error for a call that waited for others until its deadline.
  static var notPublished: AnnalsError {
    AnnalsError(
      .unavailable,
      "the cluster's log did not answer for earlier calls before the call's deadline, so it was not published; nothing was written: try again; without a quorum of the log's servers nothing can be appended"
    )
  }
}
