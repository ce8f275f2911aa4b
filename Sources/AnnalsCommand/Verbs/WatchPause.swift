import Annals
import Synchronization

/// A pause between two looks at a store, which an interruption ends.
final class WatchPause: Sendable {
  private struct State: Sendable {
    var isOver = false
    var task: Task<Void, any Error>?
  }

  private let state = Mutex(State())

  /// Ends the current pause, and every later one.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.task?.cancel()
    }
  }

  /// Whether the pauses have ended.
  var isOver: Bool { state.withLock(\.isOver) }

  /// Waits.
  ///
  /// - Returns: Whether to look again.
  func wait(seconds: Int) async -> Bool {
    let task = Task { try await Task.sleep(for: .seconds(seconds)) }
    state.withLock { state in
      state.task = task
      if state.isOver { task.cancel() }
    }
    _ = await task.result
    return !isOver
  }
}
