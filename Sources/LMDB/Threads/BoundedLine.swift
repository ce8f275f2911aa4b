/// A bounded queue of a few elements between a producing and a consuming thread.
///
/// Memory is bounded: the faster thread waits for the other one.
public final class BoundedLine<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var elements: [Element] = []
    var isOver = false
    /// Whether the consumer should wake up although the queue is empty.
    var isNudged = false
    var sleeping = 0
  }

  /// The result of taking an element.
  public enum Taken: Sendable {
    /// The element that waited longest.
    case element(Element)
    /// No element within the given time, or before a call of ``BoundedLine/nudge()``.
    case nothing
    /// No element, and none will come any more.
    case end
  }

  private let state = Monitor(State())
  private let room: Int

  /// Creates an empty queue.
  ///
  /// - Parameter room: The capacity, 1 or more.
  public init(room: Int) {
    self.room = room
  }

  /// Whether the queue is empty.
  public var isEmpty: Bool { state.withLock { $0.elements.isEmpty } }

  /// Adds an element as soon as there is capacity.
  ///
  /// - Parameters:
  ///   - element: The element to add.
  ///   - nanoseconds: The longest time to wait for capacity.
  /// - Returns: Whether it was added; `nil` if it never will be, after ``end()``.
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

  /// Removes and returns the element that waited longest, and waits for one if necessary.
  ///
  /// - Parameter nanoseconds: The longest time to wait.
  public func take(upTo nanoseconds: Int) -> Taken {
    waiting(upTo: nanoseconds) { state -> Taken? in
      if state.isOver { return .end }
      if !state.elements.isEmpty { return .element(state.elements.removeFirst()) }
      guard state.isNudged else { return nil }
      state.isNudged = false
      return .nothing
    } ?? .nothing
  }

  /// Wakes the consumer once, even if the queue is empty.
  public func nudge() {
    state.withLock { $0.isNudged = true }
    state.wake()
  }

  /// Removes all elements, and releases both threads.
  public func end() {
    state.withLock { state in
      state.isOver = true
      state.elements = []
    }
    state.wake()
  }

  private func waiting<R>(upTo nanoseconds: Int, _ body: (inout State) -> R?) -> R? {
    // A wake costs a system call, so it is only done for a sleeping thread.
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
