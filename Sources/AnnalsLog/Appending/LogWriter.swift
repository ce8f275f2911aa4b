internal import AnnalsCoding
internal import LMDB
import Synchronization

/// The writer of a log in this process.
///
/// A caller that finds nobody else at work stores its small call itself, so a single append waits for no
/// other thread. All other calls wait in a queue, and a dedicated thread stores them in groups, one
/// transaction each.
///
/// The end of this object waits for the thread, which first empties the queue and merges the tail. It does
/// not wait if the thread is blocked on its turn, and never longer than ``StoreOptions/lockTimeout``.
package final class LogWriter: Sendable {
  /// A call and the caller that waits for its answer.
  package final class Job: Waiting {
    let call: GroupCall
    /// The time at which its caller began to wait.
    let joined: ContinuousClock.Instant
    /// The time at which its caller stops waiting, unless the call is being stored by then.
    package let deadline: ContinuousClock.Instant
    let caller: Caller<Result<Appended, AnnalsError>>

    init(
      _ call: GroupCall, since joined: ContinuousClock.Instant, until deadline: ContinuousClock.Instant,
      _ caller: Caller<Result<Appended, AnnalsError>>
    ) {
      self.call = call
      self.joined = joined
      self.deadline = deadline
      self.caller = caller
    }

    package var cost: Int { call.request.bytes }
  }

  /// The visible state of the thread.
  final class Status: Sendable {
    /// Whether it waits for another process's turn to end.
    let isBlocked = Atomic(false)
    /// The id of the process that has the turn then; 0 if that is not known.
    let holder = Atomic<Int32>(0)
  }

  /// The right to encode a call, for which the queue has space.
  package typealias Admission = WaitingLine<Job>.Admission

  /// The maximum size in bytes of a call that its caller stores itself. Larger ones would keep the caller's
  /// thread for too long, and gain little.
  private static let smallCall = 1 << 16

  private let line: WaitingLine<Job>
  /// The state of the writer, for the thread or the caller that stores something.
  private let seat: WriterSeat
  private let thread: WriterThread
  private let ended = Signal()
  /// The maximum number of nanoseconds that the end waits.
  private let patience: Int
  /// The visible state of the thread.
  let status = Status()

  /// Starts the writer.
  ///
  /// - Parameters:
  ///   - interval: When heads are merged.
  ///   - room: The maximum size in bytes of waiting calls.
  ///   - lockTimeout: The maximum time that the end waits.
  ///   - clock: The clock for the times of commits.
  init(
    _ place: CurrentGeneration, interval: HeadMerge.Interval, room: Int, lockTimeout: Duration,
    clock: @escaping @Sendable () -> Timestamp,
    _ observer: (any StoreObserver)? = nil
  ) throws(AnnalsError) {
    let line = WaitingLine<Job>(room: room)
    self.line = line
    let (status, ended) = (status, ended)
    let (seconds, attoseconds) = lockTimeout.components
    patience = Int(min(max(seconds, 0), 1 << 30)) * 1_000_000_000 + Int(max(attoseconds, 0)) / 1_000_000_000
    let seat = WriterSeat(WriterLoop(place, line, status, interval, clock, observer))
    self.seat = seat
    thread = try files { () throws(StoreFileError) in
      try WriterThread(name: "annals-writer") {
        seat.serve(line)
        ended.announce()
      }
    }
  }

  deinit {
    line.close()
    // The process that has the turn may be stopped, and keep it forever. Then the thread is abandoned, and
    // ends when it gets the turn. A process with another lock that the thread waits for may be stopped too.
    if !status.isBlocked.load(ordering: .acquiring), ended.wait(beyond: 0, upTo: patience) > 0 {
      thread.join()
    } else {
      thread.letGo()
    }
  }

  /// Waits until the queue has space for another call.
  ///
  /// - Returns: The space, which is reserved until the value ends.
  /// - Throws: `cancelled`; `busy` if another process keeps its turn for as long as the caller waits.
  func admit(within limit: Duration) async throws(AnnalsError) -> Admission {
    try check(await line.enter(within: limit))
  }

  /// Waits as ``admit(within:)`` does, and blocks the calling thread meanwhile.
  func admitBlocking(within limit: Duration) throws(AnnalsError) -> Admission {
    try check(line.enterBlocking(within: limit))
  }

  private func check(_ admission: consuming Admission) throws(AnnalsError) -> Admission {
    switch admission.entry {
    case .admitted: return admission
    case .cancelled: throw AnnalsError.callCancelled
    case .expired:
      throw WriterLoop.busy(
        status.holder.load(ordering: .relaxed), waited: ContinuousClock.now - admission.since)
    }
  }

  /// Stores a call, or waits until the thread has stored it, and returns the answer.
  ///
  /// - Parameter since: The time at which the caller began to wait.
  func append(
    _ call: GroupCall, within limit: Duration, since: ContinuousClock.Instant
  ) async -> Result<Appended, AnnalsError> {
    if let answer = storeHere(call) { return answer }
    let ticket = CancellableTicket()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { answer in
        guard let number = join(call, since, limit, .task(answer)) else { return }
        // The handler may have run before there was anything to withdraw.
        if !ticket.set(number) { withdraw(number) }
      }
    } onCancel: {
      if let number = ticket.cancel() { withdraw(number) }
    }
  }

  /// Appends as ``append(_:within:since:)`` does, and blocks the calling thread meanwhile.
  func appendBlocking(
    _ call: GroupCall, within limit: Duration, since: ContinuousClock.Instant
  ) -> Result<Appended, AnnalsError> {
    if let answer = storeHere(call) { return answer }
    let reply = Reply<Result<Appended, AnnalsError>>()
    _ = join(call, since, limit, .thread(reply))
    return reply.wait()
  }

  /// Applies a batch of a shared log on the calling thread.
  func apply(_ batch: SequencedBatch) throws(AnnalsError) -> SequencedAnswers {
    try seat.apply(batch)
  }

  /// Stores a call on the calling thread, if nothing else waits and the call is small.
  private func storeHere(_ call: GroupCall) -> Result<Appended, AnnalsError>? {
    guard call.request.bytes <= Self.smallCall, line.isQuiet else { return nil }
    return seat.store(call)
  }

  /// Adds a call to the queue.
  ///
  /// - Returns: Its ticket; `nil` if the store is being closed, which the caller has been given then.
  private func join(
    _ call: GroupCall, _ since: ContinuousClock.Instant, _ limit: Duration,
    _ caller: Caller<Result<Appended, AnnalsError>>
  ) -> UInt64? {
    let number = line.join(Job(call, since: since, until: since + limit, caller))
    if number == nil {
      caller.resume(returning: .failure(AnnalsError(.readOnly, "the store is being closed")))
    }
    return number
  }

  /// The number of calls that wait to be stored.
  var waiting: Int { line.count }

  /// The number of callers that wait for space in the queue.
  var waitingForRoom: Int { line.visitorCount }

  /// Lets the thread notice that another thread has moved to the generation in use, so that it releases the
  /// previous one.
  func follow() { line.nudge() }

  /// Withdraws a call that is not being stored yet.
  private func withdraw(_ ticket: UInt64) {
    line.leave(ticket)?.caller.resume(returning: .failure(AnnalsError.callCancelled))
  }
}

extension AppendRequest {
  /// Takes the space that was reserved for the call, which joins the queue next.
  package mutating func take(_ room: consuming LogWriter.Admission?) {
    if let room { since = room.since }
  }
}

extension AnnalsError {
  /// The error for a task that was cancelled before its call was taken.
  static var callCancelled: AnnalsError {
    AnnalsError(.cancelled, "the task was cancelled; nothing was written")
  }
}
