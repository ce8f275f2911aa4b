/// A line in which work waits for the thread that does it, in groups: first come, first served.
///
/// Whoever joined can leave again until the thread takes it.
public final class WaitingLine<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var elements: [Element] = []
    var isSleeping = false
    /// How many the thread waits for, when it gathers.
    var wanted = Int.max
    var isClosed = false
    /// Whether the thread is to look around although nothing waits.
    var isNudged = false
  }

  private let state = Monitor(State())

  /// A line with nothing in it.
  public init() {}

  /// Adds an element behind those that wait.
  ///
  /// - Returns: Whether it will be taken; `false` after ``close()``.
  public func join(_ element: Element) -> Bool {
    let (isAccepted, wakes) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      state.elements.append(element)
      // A wake costs a system call, so only a thread that has what it waits for gets one, and only once.
      let wakes = state.isSleeping || state.elements.count >= state.wanted
      state.isSleeping = false
      if wakes { state.wanted = .max }
      return (true, wakes)
    }
    if wakes { state.wake() }
    return isAccepted
  }

  /// Takes out what `matches`, wherever it stands in the line.
  public func leave(where matches: (Element) -> Bool) -> [Element] {
    state.withLock { state in
      let leaving = state.elements.filter(matches)
      if !leaving.isEmpty { state.elements.removeAll(where: matches) }
      return leaving
    }
  }

  /// Puts back what was taken, before all that wait, also into a closed line.
  public func rejoin(_ elements: [Element]) {
    state.withLock { $0.elements = elements + $0.elements }
  }

  /// What `body` makes of those that wait, the first one first.
  public func look<R>(_ body: ([Element]) -> R) -> R {
    state.withLock { body($0.elements) }
  }

  /// Wakes the thread once, although nothing may wait for it.
  public func nudge() {
    state.withLock { $0.isNudged = true }
    state.wake()
  }

  /// Waits until there is something, or somebody has called ``nudge()``.
  ///
  /// - Returns: `false` where there is nothing and the line is closed.
  public func waitForSome() -> Bool {
    state.wait { state -> Bool? in
      let isNudged = state.isNudged
      state.isNudged = false
      guard state.elements.isEmpty else { return true }
      if state.isClosed { return false }
      if isNudged { return true }
      state.isSleeping = true
      return nil
    }
  }

  /// Waits until `count` wait, or the time is over.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - nanoseconds: How long at most.
  public func gather(_ count: Int, upTo nanoseconds: Int) {
    let isThere: Void? = state.wait(upTo: nanoseconds) { state in
      if state.elements.count >= count || state.isClosed { return () }
      state.wanted = count
      return nil
    }
    if isThere == nil { state.withLock { $0.wanted = .max } }
  }

  /// Takes elements from the front as long as `fits` says so; the first one whatever it says.
  public func take(while fits: (Element) -> Bool) -> [Element] {
    state.withLock { state in
      let taken = state.elements.indices.first { !fits(state.elements[$0]) && $0 > 0 } ?? state.elements.count
      if taken == state.elements.count {
        defer { state.elements = [] }
        return state.elements
      }
      defer { state.elements.removeFirst(taken) }
      return Array(state.elements[..<taken])
    }
  }

  /// Whether nothing waits, and nothing will.
  public var isOver: Bool { state.withLock { $0.isClosed && $0.elements.isEmpty } }

  /// Lets nobody else join, and the thread end when all are served.
  public func close() {
    state.withLock { $0.isClosed = true }
    state.wake()
  }
}
