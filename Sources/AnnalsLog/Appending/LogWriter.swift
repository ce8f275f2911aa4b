internal import AnnalsCoding
internal import LMDB
import Synchronization

/// The writer of a log in this process. Calls wait in a queue, and a dedicated thread stores them in groups,
/// one transaction each.
///
/// The end of this object waits for the thread, which first empties the queue and merges the tail. It does
/// not wait if the thread is blocked on its turn, and never longer than ``StoreOptions/lockTimeout``.
package final class LogWriter: Sendable {
  /// A call and the caller that waits for its answer.
  package final class Job: Waiting {
    let request: AppendRequest
    let durability: StoreOptions.Durability
    /// The time at which its caller began to wait.
    let joined: ContinuousClock.Instant
    /// The time at which its caller stops waiting, unless the call is being stored by then.
    package let deadline: ContinuousClock.Instant
    let answer: CheckedContinuation<Result<Appended, AnnalsError>, Never>

    init(
      _ request: AppendRequest, _ durability: StoreOptions.Durability, since joined: ContinuousClock.Instant,
      until deadline: ContinuousClock.Instant,
      _ answer: CheckedContinuation<Result<Appended, AnnalsError>, Never>
    ) {
      self.request = request
      self.durability = durability
      self.joined = joined
      self.deadline = deadline
      self.answer = answer
    }

    package var cost: Int { request.bytes }
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

  private let line: WaitingLine<Job>
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
  init(
    _ place: CurrentGeneration, interval: HeadMerge.Interval, room: Int, lockTimeout: Duration
  ) throws(AnnalsError) {
    let line = WaitingLine<Job>(room: room)
    self.line = line
    let (status, ended) = (status, ended)
    let (seconds, attoseconds) = lockTimeout.components
    patience = Int(min(max(seconds, 0), 1 << 30)) * 1_000_000_000 + Int(max(attoseconds, 0)) / 1_000_000_000
    thread = try files { () throws(StoreFileError) in
      try WriterThread(name: "annals-writer") {
        do {
          var loop = WriterLoop(place, line, status, interval)
          loop.run()
        }
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
    let admission = await line.enter(within: limit)
    switch admission.entry {
    case .admitted: return admission
    case .cancelled: throw AnnalsError.callCancelled
    case .expired:
      throw WriterLoop.busy(
        status.holder.load(ordering: .relaxed), waited: ContinuousClock.now - admission.since)
    }
  }

  /// Passes a call to the thread and waits for its answer.
  ///
  /// - Parameter since: The time at which the caller began to wait.
  func append(
    _ request: AppendRequest, durability: StoreOptions.Durability, within limit: Duration,
    since: ContinuousClock.Instant
  ) async -> Result<Appended, AnnalsError> {
    let ticket = CancellableTicket()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { answer in
        let job = Job(request, durability, since: since, until: since + limit, answer)
        guard let number = line.join(job) else {
          answer.resume(returning: .failure(AnnalsError(.readOnly, "the store is being closed")))
          return
        }
        // The handler may have run before there was anything to withdraw.
        if !ticket.set(number) { withdraw(number) }
      }
    } onCancel: {
      if let number = ticket.cancel() { withdraw(number) }
    }
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
    line.leave(ticket)?.answer.resume(returning: .failure(AnnalsError.callCancelled))
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
