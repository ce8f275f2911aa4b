internal import LMDB
import Synchronization

/// The writer of a log in this process: calls wait in a line, and a thread of its own stores them in groups, a transaction each.
///
/// The end of this object waits for the thread, which first empties the line and merges the tail; unless it is kept waiting for its turn.
final class LogWriter: Sendable {
  /// A call and who waits for its answer.
  struct Job: Sendable {
    let number: UInt64
    let request: AppendRequest
    let durability: StoreOptions.Durability
    /// Since when its caller waits.
    let joined: ContinuousClock.Instant
    /// When its caller gives up, unless it is being stored by then.
    let deadline: ContinuousClock.Instant
    let answer: CheckedContinuation<Result<Appended, AnnalsError>, Never>
  }

  /// What the thread shows to others.
  final class Status: Sendable {
    /// Whether it waits for another process's turn to end.
    let isBlocked = Atomic(false)
  }

  private let line = WaitingLine<Job>()
  private let numbers = Atomic<UInt64>(0)
  private let thread: WriterThread
  /// What the thread shows.
  let status = Status()

  /// Starts the writer.
  init(_ place: CurrentGeneration, interval: HeadMerge.Interval) throws(AnnalsError) {
    let (line, status) = (line, status)
    thread = try files { () throws(StoreFileError) in
      try WriterThread(name: "annals-writer") {
        var loop = WriterLoop(place, line, status, interval)
        loop.run()
      }
    }
  }

  deinit {
    line.close()
    // Whoever has the turn may be stopped, and keep it for ever: then the thread is left behind, and ends when it gets the turn.
    if status.isBlocked.load(ordering: .acquiring) { thread.letGo() } else { thread.join() }
  }

  /// Hands a call to the thread and waits for its answer.
  func append(
    _ request: AppendRequest, durability: StoreOptions.Durability, within limit: Duration
  ) async -> Result<Appended, AnnalsError> {
    let number = numbers.add(1, ordering: .relaxed).newValue
    return await withTaskCancellationHandler {
      await withCheckedContinuation { answer in
        let now = ContinuousClock.now
        let job = Job(
          number: number, request: request, durability: durability, joined: now, deadline: now + limit,
          answer: answer)
        guard line.join(job) else {
          answer.resume(returning: .failure(AnnalsError(.readOnly, "the store is being closed")))
          return
        }
        // The handler may have run before there was anything to take back.
        if Task.isCancelled { withdraw(number) }
      }
    } onCancel: {
      withdraw(number)
    }
  }

  /// Lets the thread notice that another one of this process has moved on to the generation in use, so that it lets go of the one before.
  func follow() { line.nudge() }

  /// Takes a call back that is not being stored yet.
  private func withdraw(_ number: UInt64) {
    for job in line.leave(where: { $0.number == number }) {
      job.answer.resume(
        returning: .failure(AnnalsError(.cancelled, "the task was cancelled; nothing was written")))
    }
  }
}
