import Annals
import Synchronization

/// The wait for further entries, which an interruption ends.
final class FollowWait: Sendable {
  private struct State: Sendable {
    var isOver = false
    var task: Task<EntryLines?, any Error>?
  }

  private let state = Mutex(State())

  /// Whether the wait was ended.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Ends the current wait, and every later one.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.task?.cancel()
    }
  }

  /// Waits for entries after those that were read.
  ///
  /// - Parameter hasReader: Whether somebody still reads the output. It is asked once a second.
  /// - Returns: Whether there are any.
  func run(_ lines: inout EntryLines, while hasReader: @escaping @Sendable () -> Bool) async throws -> Bool {
    let watch = Task {
      while hasReader() { try await Task.sleep(for: .seconds(1)) }
      end()
    }
    defer { watch.cancel() }
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
