package import AnnalsCoding
internal import LMDB
import Synchronization

/// The observer of one open, which can also end it. The open's work on the log reports to it at intervals.
package final class OpenWatch: Sendable {
  private struct State {
    var isCancelled = false
    var isOver = false
    var step: OpenProgress.Step?
    var reported = ContinuousClock.now
  }

  /// The time between two reports of one step.
  private static let interval = Duration.milliseconds(100)

  private let state = Mutex(State())
  private let observer: @Sendable (OpenProgress) -> Void

  /// Creates a watch that calls `observer` at most ten times a second for each step.
  package init(_ observer: @escaping @Sendable (OpenProgress) -> Void) {
    self.observer = observer
  }

  /// Ends the open at its next report.
  package func cancel() { state.withLock { $0.isCancelled = true } }

  /// Whether the open is to end.
  package var isCancelled: Bool { state.withLock { $0.isCancelled && !$0.isOver } }

  /// Reports progress.
  ///
  /// - Throws: ``AnnalsError`` with code `cancelled` if the open is to end.
  package func advance(
    _ step: OpenProgress.Step, _ done: UInt64, of total: UInt64
  ) throws(AnnalsError) {
    try check()
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      // Work that continues after the open is not part of it.
      guard !state.isOver, state.step != step || state.reported.duration(to: now) >= Self.interval else {
        return false
      }
      state.step = step
      state.reported = now
      return true
    }
    if isDue { observer(OpenProgress(step: step, done: done, total: total)) }
  }

  /// Throws if the open is to end.
  package func check() throws(AnnalsError) {
    guard isCancelled else { return }
    throw AnnalsError(
      .cancelled,
      "the task was cancelled while it opened the store; the next open continues with what is kept, and does the rest again"
    )
  }

  /// Runs `work`, which opens the store, on a thread of its own. Cancelling the task ends it.
  ///
  /// - Throws: The error of `work`, or ``AnnalsError`` if the system has no more threads.
  package func run<Result: Sendable>(
    _ work: @escaping @Sendable () throws(AnnalsError) -> Result
  ) async throws(AnnalsError) -> Result {
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Swift.Result<Result, AnnalsError>, Never>) in
        do throws(StoreFileError) {
          _ = try WriterThread(name: "annals-open") { [self] in
            continuation.resume(
              returning: Swift.Result { () throws(AnnalsError) in
                try check()
                return try work()
              })
          }
        } catch {
          continuation.resume(returning: .failure(AnnalsError(error)))
        }
      }
    } onCancel: {
      cancel()
    }
    state.withLock { $0.isOver = true }
    return try result.get()
  }
}

extension StoreOptions {
  /// The watch of the open; `nil` if nobody observes it.
  package var watch: OpenWatch? {
    get { self[OpenWatch.self] }
    set { self[OpenWatch.self] = newValue }
  }
}
