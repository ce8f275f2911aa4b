/// A line with room for a few elements, between a thread that hands them over and one that takes them.
///
/// Memory is bounded: whoever is faster waits for the other one.
public final class BoundedLine<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var elements: [Element] = []
    var isOver = false
    /// Whether the taker is to look around although nothing waits.
    var isNudged = false
    var sleeping = 0
  }

  /// What a taker finds.
  public enum Taken: Sendable {
    /// The element that waited longest.
    case element(Element)
    /// Nothing, within the time given or before somebody called ``BoundedLine/nudge()``.
    case nothing
    /// Nothing, and nothing will come any more.
    case end
  }

  private let state = Monitor(State())
  private let room: Int

  /// An empty line.
  ///
  /// - Parameter room: How many elements may wait, 1 or more.
  public init(room: Int) {
    self.room = room
  }

  /// Whether nothing waits.
  public var isEmpty: Bool { state.withLock { $0.elements.isEmpty } }

  /// Hands over an element as soon as there is room.
  ///
  /// - Parameters:
  ///   - element: What is handed over.
  ///   - nanoseconds: How long to wait for room at most.
  /// - Returns: Whether it was taken into the line; `nil` where it never will be, after ``end()``.
  public func hand(_ element: Element, upTo nanoseconds: Int) -> Bool? {
    let isHanded: Bool?? = waiting(upTo: nanoseconds) { [room] state in
      if state.isOver { return .some(nil) }
      guard state.elements.count < room else { return nil }
      state.elements.append(element)
      return .some(true)
    }
    guard let isHanded else { return false }
    return isHanded
  }

  /// Takes the element that waited longest, and waits for one.
  ///
  /// - Parameter nanoseconds: How long to wait at most.
  public func take(upTo nanoseconds: Int) -> Taken {
    waiting(upTo: nanoseconds) { state -> Taken? in
      if state.isOver { return .end }
      if !state.elements.isEmpty { return .element(state.elements.removeFirst()) }
      guard state.isNudged else { return nil }
      state.isNudged = false
      return .nothing
    } ?? .nothing
  }

  /// Lets the taker look around once, although nothing may wait.
  public func nudge() {
    state.withLock { $0.isNudged = true }
    state.wake()
  }

  /// Forgets what waits, and lets both threads go.
  public func end() {
    state.withLock { state in
      state.isOver = true
      state.elements = []
    }
    state.wake()
  }

  private func waiting<R>(upTo nanoseconds: Int, _ body: (inout State) -> R?) -> R? {
    // A wake costs a system call, so only one who sleeps gets one.
    let (result, wakes) = state.withLock { state -> (R?, Bool) in
      let result = body(&state)
      if result == nil { state.sleeping += 1 }
      return (result, result != nil && state.sleeping > 0)
    }
    if let result {
      if wakes { state.wake() }
      return result
    }
    let late = nanoseconds > 0 ? state.wait(upTo: nanoseconds, body) : nil
    let others = state.withLock { state in
      state.sleeping -= 1
      return state.sleeping > 0
    }
    if late != nil, others { state.wake() }
    return late
  }
}
