internal import LMDB
import Synchronization

// What callers are told while the thread waits for its turn.
extension WriterLoop {
  /// Answers calls whose time is over, as long as the thread waits for its turn.
  static func watch(
    _ line: WaitingLine<LogWriter.Job>, _ status: LogWriter.Status, _ environment: Environment
  ) async {
    let clock = ContinuousClock()
    while status.isBlocked.load(ordering: .acquiring), !Task.isCancelled {
      let now = clock.now
      let expired = line.leave { $0.deadline <= now }
      for job in expired {
        job.answer.resume(returning: .failure(busy(environment, waited: now - job.joined)))
      }
      let next = line.look { $0.map(\.deadline).min() } ?? now + .milliseconds(100)
      // Woken now and then, because a call with less patience may have come.
      do { try await clock.sleep(until: min(next, now + .milliseconds(100))) } catch { return }
    }
  }

  private static func busy(_ environment: Environment, waited: Duration) -> AnnalsError {
    let holder: Int32?
    // Who it is, is only told; a lock file that cannot be read does not change that the store is busy.
    do { holder = try environment.lastWriter() } catch { holder = nil }
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
  /// The duration in seconds and tenths, as a person reads it.
  fileprivate var formatted: String {
    let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
