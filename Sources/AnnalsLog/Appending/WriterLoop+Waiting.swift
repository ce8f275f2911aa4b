internal import AnnalsCoding
internal import LMDB
import Synchronization

// Answers to callers while the thread waits for its turn.
extension WriterLoop {
  /// The rest of the watch in nanoseconds: searching for calls whose deadline has passed costs time for each.
  private static let rest = 10_000_000

  /// Answers calls whose deadline has passed while the thread waits for its turn, until that is over.
  static func watch(
    _ line: WaitingLine<LogWriter.Job>, _ status: LogWriter.Status, _ environment: Environment,
    until over: Signal
  ) {
    while over.wait(beyond: 0, upTo: rest) == 0 {
      let holder: Int32
      // The process is only named in the message: the store is busy even if the lock file cannot be read.
      do { holder = try environment.lastWriter() ?? 0 } catch { holder = 0 }
      status.holder.store(holder, ordering: .relaxed)
      let now = ContinuousClock.now
      for job in line.expire(by: now) {
        job.caller.resume(returning: .failure(busy(holder, waited: now - job.joined)))
      }
    }
  }

  /// The error of a call whose deadline has passed.
  ///
  /// - Parameter holder: The process that has the turn; 0 where that is not known.
  static func busy(_ holder: Int32, waited: Duration) -> AnnalsError {
    let holder = holder == 0 ? nil : holder
    let who = holder.map { "process \($0)" } ?? "another process"
    return AnnalsError(
      .busy,
      "\(who) has been writing for \(waited.formatted) and nothing was written here; look whether it is stopped, then try again",
      details: AnnalsError.Details {
        $0.holder = holder
        $0.waited = waited
      })
  }
}

extension Duration {
  /// The duration in seconds and tenths, for people.
  fileprivate var formatted: String {
    let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
