internal import LMDB
import Synchronization

/// A queue in which work waits for the thread that does it, in groups: first come, first served.
///
/// An element can leave until the thread takes it. The queue has limited capacity: further callers wait for
/// space before they have an element to join with.
package final class WaitingLine<Element: Waiting>: Sendable {
  struct State: Sendable {
    var elements = TicketQueue<Element>()
    /// Callers that wait for space.
    var visitors = TicketQueue<Visitor>()
    /// The tickets of threads among them, and of some that do not wait any longer.
    var threads: [UInt64] = []
    /// The capacity reserved for callers that have been admitted and have not joined yet.
    var reserved = 0
    /// The cost of the element that joined last: the best guess for the next one.
    var lastCost = 1
    var isSleeping = false
    /// The number of elements that the thread waits for when it gathers.
    var wanted = Int.max
    var isClosed = false
    /// Whether the thread is to wake although nothing waits.
    var isNudged = false
  }

  /// The outcome of waiting for space.
  enum Entry: Sendable {
    /// There is space.
    case admitted
    /// The task was cancelled.
    case cancelled
    /// The caller's deadline has passed; see ``WaitingLine/expire(by:)``.
    case expired
  }

  /// A caller that waits for space.
  struct Visitor: Waiting {
    let cost = 0
    let deadline: ContinuousClock.Instant
    let caller: Caller<(Entry, Int)>
    var isThread: Bool { if case .thread = caller { true } else { false } }
  }

  /// Space in the queue, reserved for a caller until this value ends.
  package struct Admission: ~Copyable, Sendable {
    /// The outcome of waiting for it.
    let entry: Entry
    /// The time at which the caller began to wait.
    let since: ContinuousClock.Instant
    let line: WaitingLine
    let reserved: Int

    deinit { line.giveBack(reserved) }
  }

  let state = Monitor(State())
  let room: Int
  /// Whether callers have to wait for space; readable without the lock.
  let isCrowded = Atomic(false)

  /// Creates an empty queue.
  ///
  /// - Parameter room: The total cost at which callers begin to wait for space. An empty queue has space for
  ///   anything.
  init(room: Int = .max) {
    self.room = room
  }

  /// Adds an element after those that wait.
  ///
  /// - Returns: The ticket by which it can leave; `nil` after ``close()``, when it will not be taken.
  func join(_ element: Element) -> UInt64? {
    let cost = element.cost
    let (ticket, wakes) = state.withLock { state -> (UInt64?, Bool) in
      guard !state.isClosed else { return (nil, false) }
      let ticket = state.elements.append(element)
      state.lastCost = max(cost, 1)
      if !hasRoom(state) { isCrowded.store(true, ordering: .relaxed) }
      // A wake costs a system call, so the thread gets one only if its condition is met, and only once.
      let wakes = state.isSleeping || state.elements.count >= state.wanted
      state.isSleeping = false
      if wakes { state.wanted = .max }
      return (ticket, wakes)
    }
    if wakes { state.wake() }
    return ticket
  }

  /// Removes the element with a ticket, wherever it is in the queue.
  ///
  /// - Returns: `nil` if it has been taken.
  /// - Complexity: Amortized O(log n).
  func leave(_ ticket: UInt64) -> Element? {
    change { $0.elements.remove(ticket) }
  }

  /// Removes the elements whose deadlines have passed, and the callers that wait for space and whose
  /// deadlines have passed.
  ///
  /// - Parameter now: The time.
  /// - Returns: The elements.
  /// - Complexity: O(1) before the next deadline of each of both; otherwise O(n).
  func expire(by now: ContinuousClock.Instant) -> [Element] {
    // Waiting callers are expired first, so that none is admitted after its deadline.
    let visitors = state.withLock { $0.visitors.expire(by: now) }
    for visitor in visitors { visitor.caller.resume(returning: (.expired, 0)) }
    return change { $0.elements.expire(by: now) }
  }

  /// Puts taken elements back before all that wait, even into a closed queue. They can no longer leave by
  /// their tickets.
  func rejoin(_ elements: [Element]) {
    state.withLock { state in
      state.elements.prepend(elements)
      if !hasRoom(state) { isCrowded.store(true, ordering: .relaxed) }
    }
  }

  /// The elements that wait, the first one first.
  var elements: [Element] { state.withLock { $0.elements.elements } }

  /// How many wait.
  var count: Int { state.withLock { $0.elements.count } }

  /// Whether nothing waits.
  var isEmpty: Bool { count == 0 }

  /// Whether nothing waits, and the thread sleeps.
  var isQuiet: Bool {
    state.withLock { $0.isSleeping && $0.elements.isEmpty && $0.visitors.isEmpty && !$0.isClosed }
  }

  /// Wakes the thread once, although nothing may wait for it.
  func nudge() {
    state.withLock { $0.isNudged = true }
    state.wake()
  }

  /// Waits until there is an element, or a call of ``nudge()``.
  ///
  /// - Returns: `false` if there is nothing and the queue is closed.
  func waitForSome() -> Bool {
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

  /// Waits until `count` elements wait, or the time has passed.
  ///
  /// - Parameters:
  ///   - count: The number of elements.
  ///   - nanoseconds: The maximum time.
  func gather(_ count: Int, upTo nanoseconds: Int) {
    let isThere: Void? = state.wait(upTo: nanoseconds) { state in
      if state.elements.count >= count || state.isClosed { return () }
      state.wanted = count
      return nil
    }
    if isThere == nil { state.withLock { $0.wanted = .max } }
  }

  /// Takes elements from the front while `fits` returns `true`. It always takes the first one.
  func take(while fits: (Element) -> Bool) -> [Element] {
    change { state in
      var taken: [Element] = []
      while let next = state.elements.first {
        guard fits(next) || taken.isEmpty else { break }
        _ = state.elements.popFirst()
        taken.append(next)
      }
      return taken
    }
  }

  /// Whether nothing waits, and nothing will.
  var isOver: Bool { state.withLock { $0.isClosed && $0.elements.isEmpty } }

  /// Closes the queue: no more elements join, and the thread ends when all are served.
  func close() {
    state.withLock { $0.isClosed = true }
    state.wake()
  }
}
