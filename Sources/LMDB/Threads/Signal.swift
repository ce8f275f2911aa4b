/// A count that only rises, for whose changes threads and tasks can wait.
public final class Signal: Sendable {
  private struct State: Sendable {
    var count: UInt64 = 0
    var tasks: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var numbers: UInt64 = 0
    /// The number of waiting threads; a wake costs a system call.
    var sleeping = 0
  }

  private let state = Monitor(State())

  /// Creates a count of 0.
  public init() {}

  /// The count.
  public var count: UInt64 { state.withLock { $0.count } }

  /// Raises the count and wakes all waiting threads and tasks.
  public func announce() {
    let (tasks, wakes) = state.withLock { state in
      state.count &+= 1
      defer { state.tasks.removeAll(keepingCapacity: true) }
      return (Array(state.tasks.values), state.sleeping > 0)
    }
    if wakes { state.wake() }
    for task in tasks { task.resume() }
  }

  /// Blocks the calling thread until the count is above `known`, or the time has expired.
  ///
  /// - Parameters:
  ///   - known: The count known to the caller.
  ///   - nanoseconds: The longest time to wait.
  /// - Returns: The count.
  @discardableResult
  public func wait(beyond known: UInt64, upTo nanoseconds: Int) -> UInt64 {
    state.withLock { $0.sleeping += 1 }
    defer { state.withLock { $0.sleeping -= 1 } }
    return state.wait(upTo: nanoseconds) { $0.count > known ? $0.count : nil } ?? count
  }

  /// Waits until the count is above `known`, or the task is cancelled.
  ///
  /// - Returns: The count.
  @discardableResult
  public func wait(beyond known: UInt64) async -> UInt64 {
    let number = state.withLock { state in
      state.numbers &+= 1
      return state.numbers
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { task in
        let isOver = state.withLock { state in
          // The handler may have run before the task could be woken.
          if state.count > known || Task.isCancelled { return true }
          state.tasks[number] = task
          return false
        }
        if isOver { task.resume() }
      }
    } onCancel: {
      state.withLock { $0.tasks.removeValue(forKey: number) }?.resume()
    }
    return count
  }
}
