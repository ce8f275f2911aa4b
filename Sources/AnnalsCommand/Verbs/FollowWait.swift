import Annals
import Synchronization

/// The wait for further entries, which an interruption ends.
final class FollowWait: Sendable {
  private struct State: Sendable {
    var isOver = false
    var task: Task<EntryLines?, any Error>?
  }

  private let state = Mutex(State())

  /// Ends the current wait, and every later one.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.task?.cancel()
    }
  }

  /// Waits for entries after those that were read.
  ///
  /// - Returns: Whether there are any.
  func run(_ lines: inout EntryLines) async throws -> Bool {
    let task = Task { [lines] () -> EntryLines? in
      var next = lines
      return try await next.waitForMore() ? next : nil
    }
    state.withLock { state in
      state.task = task
      if state.isOver { task.cancel() }
    }
    guard let next = try await task.value else { return false }
    lines = next
    return true
  }
}
