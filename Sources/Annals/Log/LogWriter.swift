internal import AnnalsCoding
internal import LMDB
import Synchronization

/// The writer of a log in this process: calls wait in a line, and a thread of its own stores them in groups, a transaction each.
///
/// The end of this object waits for the thread, which first empties the line and merges the tail; unless it is kept waiting for its turn,
/// and never longer than ``StoreOptions/lockTimeout``.
final class LogWriter: Sendable {
  /// A call and who waits for its answer.
  final class Job: Waiting {
    let request: AppendRequest
    let durability: StoreOptions.Durability
    /// Since when its caller waits.
    let joined: ContinuousClock.Instant
    /// When its caller gives up, unless it is being stored by then.
    let deadline: ContinuousClock.Instant
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

    var cost: Int { request.bytes }
  }

  /// What the thread shows to others.
  final class Status: Sendable {
    /// Whether it waits for another process's turn to end.
    let isBlocked = Atomic(false)
    /// The number of the process that has the turn then; 0 where that is not known.
    let holder = Atomic<Int32>(0)
  }

  /// The right to encode a call, for which the line has room.
  typealias Admission = WaitingLine<Job>.Admission

  private let line: WaitingLine<Job>
  private let thread: WriterThread
  private let ended = Signal()
  /// How many nanoseconds the end waits at most.
  private let patience: Int
  /// What the thread shows.
  let status = Status()

  /// Starts the writer.
  ///
  /// - Parameters:
  ///   - interval: When heads are merged.
  ///   - room: The most bytes of calls that wait.
  ///   - lockTimeout: How long the end waits at most.
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
    // Whoever has the turn may be stopped, and keep it for ever: then the thread is left behind, and ends when it gets the turn.
    // A process with another lock that the thread waits for may be stopped too.
    if !status.isBlocked.load(ordering: .acquiring), ended.wait(beyond: 0, upTo: patience) > 0 {
      thread.join()
    } else {
      thread.letGo()
    }
  }

  /// Waits until the calls that wait leave room for another one.
  ///
  /// - Returns: The room, which is kept until the value ends.
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

  /// Hands a call to the thread and waits for its answer.
  ///
  /// - Parameter since: Since when the caller waits.
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
        // The handler may have run before there was anything to take back.
        if !ticket.set(number) { withdraw(number) }
      }
    } onCancel: {
      if let number = ticket.cancel() { withdraw(number) }
    }
  }

  /// How many calls wait to be stored.
  var waiting: Int { line.count }

  /// How many calls wait for room among them.
  var waitingForRoom: Int { line.visitorCount }

  /// Lets the thread notice that another one of this process has moved on to the generation in use, so that it lets go of the one before.
  func follow() { line.nudge() }

  /// Takes a call back that is not being stored yet.
  private func withdraw(_ ticket: UInt64) {
    line.leave(ticket)?.answer.resume(returning: .failure(AnnalsError.callCancelled))
  }
}

extension AppendRequest {
  /// Takes the room that was kept for the call, which joins the line next.
  mutating func take(_ room: consuming LogWriter.Admission?) {
    if let room { since = room.since }
  }
}

extension AnnalsError {
  /// The task was cancelled before its call was taken.
  static var callCancelled: AnnalsError {
    AnnalsError(.cancelled, "the task was cancelled; nothing was written")
  }
}
