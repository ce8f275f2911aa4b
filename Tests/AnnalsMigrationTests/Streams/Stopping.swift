import Annals
import Dispatch
import Synchronization

/// The run that a point of it stops, which is known only once it has begun.
final class Stopping: Sendable {
  private let run = Mutex<MigrationRun?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func put(_ new: MigrationRun) {
    run.withLock { $0 = new }
    isThere.signal()
  }

  func stop() { end { $0.stop() } }

  func cancel() { end { $0.cancel() } }

  func with(_ body: (MigrationRun) -> Void) { end(body) }

  private func end(_ body: (MigrationRun) -> Void) {
    isThere.wait()
    if let run = run.withLock({ $0 }) { body(run) }
    isThere.signal()
  }
}
