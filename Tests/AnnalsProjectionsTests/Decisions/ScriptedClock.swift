import Synchronization

/// A clock whose time passes only when the test says so.
final class ScriptedClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let end: Instant
    let wake: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var next = 0
    /// The length of each sleep, in order.
    var sleeps: [Duration] = []
  }

  private let state = Mutex(State())
  /// Whether sleeps end at once, and move the time on.
  private let passesByItself: Bool

  init(passesByItself: Bool = false) {
    self.passesByItself = passesByItself
  }

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }
  /// The number of tasks that sleep.
  var sleeping: Int { state.withLock { $0.sleepers.count } }
  /// The length of each sleep, in order.
  var sleeps: [Duration] { state.withLock { $0.sleeps } }

  func sleep(until end: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state -> Int in
      state.next += 1
      state.sleeps.append(state.now.duration(to: end))
      if passesByItself { state.now = max(state.now, end) }
      return state.next
    }
    try Task.checkCancellation()
    if passesByItself { return }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { wake in
        let known = state.withLock { state -> Bool? in
          if state.cancelled.remove(number) != nil { return false }
          if end <= state.now { return true }
          state.sleepers[number] = Sleeper(end: end, wake: wake)
          return nil
        }
        if let known { wake.resume(returning: known) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.wake.resume(returning: false)
    }
    if !isOver { throw CancellationError() }
  }

  /// Lets time pass, and wakes the tasks whose sleep is over.
  func advance(by duration: Duration) {
    let woken = state.withLock { state -> [Sleeper] in
      state.now = state.now.advanced(by: duration)
      let over = state.sleepers.filter { $0.value.end <= state.now }
      for number in over.keys { state.sleepers[number] = nil }
      return over.sorted { $0.value.end < $1.value.end }.map(\.value)
    }
    for sleeper in woken { sleeper.wake.resume(returning: true) }
  }
}
