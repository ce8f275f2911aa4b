internal import AnnalsCoding
internal import LMDB
import Synchronization

// Answers to callers while the thread waits for its turn.
extension WriterLoop {
  /// The minimum rest of the watch: searching for calls whose deadline has passed costs time for each call.
  private static let rest = Duration.milliseconds(10)
  /// The maximum rest of the watch, because a call with an earlier deadline may have come.
  private static let longestRest = Duration.milliseconds(100)

  /// Answers calls whose deadline has passed while the thread waits for its turn.
  static func watch(
    _ line: WaitingLine<LogWriter.Job>, _ status: LogWriter.Status, _ environment: Environment
  ) async {
    let clock = ContinuousClock()
    while status.isBlocked.load(ordering: .acquiring), !Task.isCancelled {
      let holder: Int32
      // The process is only named in the message: the store is busy even if the lock file cannot be read.
      do { holder = try environment.lastWriter() ?? 0 } catch { holder = 0 }
      status.holder.store(holder, ordering: .relaxed)
      let now = clock.now
      let (expired, next) = line.expire(by: now)
      for job in expired { job.caller.resume(returning: .failure(busy(holder, waited: now - job.joined))) }
      let wake = max(now + rest, min(next ?? now + longestRest, now + longestRest))
      do { try await clock.sleep(until: wake) } catch { return }
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
