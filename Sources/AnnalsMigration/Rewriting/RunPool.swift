import Synchronization

/// Runs whose storage waits to be used again.
final class RunPool: Sendable {
  private let runs = Mutex<[RewrittenRun]>([])

  /// A run to fill.
  func take() -> RewrittenRun {
    runs.withLock { $0.popLast() } ?? RewrittenRun()
  }

  /// Gives back a run that was put.
  func give(_ run: consuming RewrittenRun) {
    var run = Optional(run)
    runs.withLock { runs in
      if let run = run.take() { runs.append(run) }
    }
  }
}
