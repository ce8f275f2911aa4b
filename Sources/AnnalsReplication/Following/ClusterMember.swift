package import AnnalsCoding
package import AnnalsLog
internal import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A machine's part in a cluster: it publishes the calls of this process, follows the cluster's log, and
/// answers each call once it is applied here.
package final class ClusterMember: CommitSequencer, Sendable {
  let log: any ReplicatedLog
  private let options: ClusterOptions
  private let state = Mutex(State())
  private let pace = FollowPace()

  package init(_ log: any ReplicatedLog, _ options: ClusterOptions) {
    self.log = log
    self.options = options
  }

  /// Begins to follow the log.
  ///
  /// - Parameter programs: Returns the programs that have the store of this machine open.
  func start(
    _ applier: Applier, cluster id: UUID,
    programs: @escaping @Sendable () throws(AnnalsError) -> [LiveProgram]
  ) {
    let exchange = ProgramExchange(log, cluster: id, lease: options.programLease, programs: programs)
    let publisher = CallPublisher(log, cluster: id, applied: applier.state.state.sequence)
    // Before the tasks, which end if there is none.
    state.withLock { state in
      state.applier = applier
      state.exchange = exchange
      state.publisher = publisher
    }
    let follower = Follower(log: log, cluster: id, pace: pace) { [weak self] in self }
    let limit = options.deadline
    let tasks = [
      Task(executorPreference: TaskThreads.shared) { await follower.run() },
      Task(executorPreference: TaskThreads.shared) { await exchange.run() },
      Task(executorPreference: TaskThreads.shared) {
        await publisher.keepDeadlines(limit) { [weak self] in self?.openCalls }
      },
    ]
    state.withLock { $0.tasks = tasks }
  }

  /// Stops to follow the log, and refuses further calls.
  package func close() {
    let (tasks, exchange, publisher, calls) = state.withLock { state in
      state.isClosed = true
      defer {
        state.tasks = []
        state.exchange = nil
        state.publisher = nil
        state.applier = nil
        state.calls = [:]
        state.waiters = [:]
      }
      let calls = Array(state.calls.values) + state.waiters.values.map(\.call)
      return (state.tasks, state.exchange, state.publisher, calls)
    }
    for task in tasks { task.cancel() }
    publisher?.close()
    exchange?.end()
    for call in calls { call.answer(.failure(AnnalsError.noVerdict)) }
  }

  // MARK: Programs of other machines

  package var programs: [LiveProgram] { state.withLock { $0.exchange }?.living ?? [] }

  package func listenForPrograms() throws(AnnalsError) {
    _ = try usable()
    try state.withLock { $0.exchange }?.listen(within: options.deadline)
  }

  // MARK: Calls of this process

  package func append(_ request: AppendRequest) async throws(AnnalsError) -> Appended {
    if Task.isCancelled {
      throw AnnalsError(.cancelled, "the task was cancelled; nothing was written")
    }
    let call = try begin(request)
    let verdict = await call.wait()
    end(call)
    return try verdict.get()
  }

  package func appendBlocking(_ request: AppendRequest) throws(AnnalsError) -> Appended {
    let call = try begin(request)
    let verdict = call.waitBlocking()
    end(call)
    return try verdict.get()
  }

  /// Encodes a call, begins to wait for its verdict, and publishes it.
  private func begin(_ request: AppendRequest) throws(AnnalsError) -> PendingCall {
    let applier = try usable()
    let (known, _) = applier.state
    let commit = CommitID(id: UUID.random(), base: known.sequence)
    let content: PendingCall.Content
    if let change = request.change {
      content = .message(try ClusterMessage(log: applier.cluster, .change(change, commit)).encoded())
    } else {
      content = .call(try SharedCall(request, commit).bytes)
    }
    let call = PendingCall(id: commit.id, content, deadline: ContinuousClock.now + options.deadline)
    let publisher = state.withLock { state in
      state.calls[commit.id] = call
      return state.publisher
    }
    pace.begin()
    if let publisher { publisher.publish(call) } else { call.answer(.failure(AnnalsError.noVerdict)) }
    return call
  }

  /// The calls without a verdict; `nil` once the machine has left.
  private var openCalls: [PendingCall]? {
    state.withLock { $0.isClosed ? nil : Array($0.calls.values) }
  }

  private func end(_ call: PendingCall) {
    state.withLock { $0.calls[call.id] = nil }
    pace.end()
  }

  /// Returns the applier of a machine that is at work.
  private func usable() throws(AnnalsError) -> Applier {
    let (applier, stop, isClosed) = state.withLock { ($0.applier, $0.stop, $0.isClosed) }
    if let stop { throw stop }
    guard let applier, !isClosed else {
      throw AnnalsError(.readOnly, "the store has left its cluster; open it again")
    }
    return applier
  }

  /// Throws the reason for which the machine does not serve. What a machine has that needs another program is
  /// right, and it serves reads.
  func mustServe() throws(AnnalsError) {
    if let stop = state.withLock({ $0.stop }), !stop.needsOtherProgram { throw stop }
  }

  // MARK: Messages

  /// The most pauses of 50 milliseconds after a failed attempt.
  private static let mostPauses = 100

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Applies messages that the log delivers, however long the machine's own troubles keep it from that. It
  /// blocks the calling thread meanwhile.
  ///
  /// - Throws: The reason for which the machine cannot continue.
  func take(_ messages: [ReplicatedMessage]) throws {
    var rest = messages[...]
    var pauses = 1
    var isUncertain = false
    noteLast(messages.last?.sequence ?? 0)
    state.withLock { $0.isApplying = true }
    defer { state.withLock { $0.isApplying = false } }
    while !rest.isEmpty {
      let applier = try usable()
      do throws(AnnalsError) {
        if isUncertain { try applier.reload() }
        isUncertain = false
        let outcome = try applier.apply(rest) { id in state.withLock { $0.calls[id] != nil } }
        rest = rest.dropFirst(outcome.count)
        pauses = 1
        answer(outcome, applier.state)
        if let stop = outcome.stop {
          if stop.needsOtherProgram { try applier.note(stop) }
          throw stop
        }
        publish(outcome.audits, upTo: applier.state.state.sequence, applier.cluster)
      } catch {
        guard error.isPassing else {
          stop(error)
          throw error
        }
        state.withLock { $0.trouble = error }
        for _ in 0..<pauses where !isClosed { WriterThread.pause(milliseconds: 50) }
        pauses = min(pauses * 2, Self.mostPauses)
        // Whether the batch is stored, only the store says.
        isUncertain = true
      }
    }
  }

  private func answer(_ outcome: Applier.Outcome, _ known: (state: MemberState, position: UInt64)) {
    let (publisher, answered, arrived) = state.withLock { state in
      state.trouble = nil
      // A machine that applies a backlog mostly has none.
      let verdicts = state.calls.isEmpty ? Verdicts() : outcome.verdicts
      let answered = verdicts.answered { state.calls[$0] }
      var arrived: [PendingCall] = []
      for (id, waiter) in state.waiters where waiter.position <= known.position {
        arrived.append(waiter.call)
        state.waiters[id] = nil
      }
      return (state.publisher, answered, arrived)
    }
    publisher?.expect(answered.count)
    for (call, verdict) in answered { call.answer(verdict) }
    publisher?.applied(upTo: known.state.sequence)
    for call in arrived { call.answer(.success(Appended(positions: [], revisions: [], wasRepeated: false))) }
  }

  /// Publishes the machine's hashes, unless it is still far from the log's end. Others do not depend on it.
  private func publish(_ audits: [Audit], upTo sequence: UInt64, _ cluster: UUID) {
    let last = state.withLock { $0.last }
    guard sequence + AuditBook.interval >= last else { return }
    for audit in audits {
      guard let bytes = try? ClusterMessage(log: cluster, .audit(audit)).encoded() else { return }
      Task { [log] in _ = try? await log.publish(bytes, id: UUID.random(), within: .seconds(2)) }
    }
  }

  private func stop(_ error: AnnalsError) {
    let (calls, waiters) = state.withLock { state in
      state.stop = error
      defer { state.waiters = [:] }
      return (Array(state.calls.values), state.waiters.values.map(\.call))
    }
    // Other machines may accept calls that are under way, so an error must not look like a verdict on them.
    let answer = error.code.isVerdict ? AnnalsError(stoppedBefore: error) : error
    for call in calls { call.answer(.failure(answer)) }
    for waiter in waiters { waiter.answer(.failure(error)) }
  }

  /// Notes the sequence of the log's last message.
  func noteLast(_ sequence: UInt64) {
    state.withLock { $0.last = max($0.last, sequence) }
  }

  /// Notes what keeps the machine from continuing for now; `nil` for nothing.
  func noteTrouble(_ error: AnnalsError?) {
    state.withLock { $0.trouble = error }
  }

  /// Stops the machine, because it cannot be a member of this cluster.
  func refuse(_ error: AnnalsError) { stop(error) }

  /// The sequence of the last message that is applied; `nil` once the machine follows no more.
  var applied: UInt64? {
    let (applier, isOver) = state.withLock { ($0.applier, $0.isClosed || $0.stop != nil) }
    return isOver ? nil : applier?.state.state.sequence
  }

  /// Whether the machine has applied all messages that arrived.
  var isWaiting: Bool { state.withLock { !$0.isApplying } }

  // MARK: Waiting and status

  /// Waits until the store has the entry at a position.
  func wait(for position: UInt64, within limit: Duration) async throws(AnnalsError) {
    let applier = try usable()
    let call = PendingCall(id: UUID.random(), .message([]), deadline: ContinuousClock.now + limit)
    state.withLock { $0.waiters[call.id] = (position, call) }
    pace.begin()
    defer { pace.end() }
    // Checked after it waits, so that a batch in between is not missed.
    if applier.state.position >= position {
      state.withLock { $0.waiters[call.id] = nil }
      return
    }
    let timer = Task {
      do { try await Task.sleep(until: call.deadline, clock: .continuous) } catch { return }
      call.answer(.failure(AnnalsError.notArrived(position)))
    }
    let verdict = await withTaskCancellationHandler {
      await call.wait()
    } onCancel: {
      call.answer(.failure(AnnalsError(.cancelled, "the task was cancelled; nothing was written")))
    }
    timer.cancel()
    state.withLock { $0.waiters[call.id] = nil }
    _ = try verdict.get()
  }

  /// The machine's place in the cluster.
  package var status: ClusterStatus? {
    let (applier, last, stop, trouble) = state.withLock { ($0.applier, $0.last, $0.stop, $0.trouble) }
    guard let (known, position) = applier?.state else { return nil }
    return ClusterStatus(
      applied: known.sequence, last: max(last, known.sequence), position: Position(position),
      commits: known.commits, hash: known.chain.description, problem: stop ?? trouble,
      isStopped: stop != nil)
  }
}
