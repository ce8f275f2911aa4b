internal import LMDB
import Synchronization

/// A line in which work waits for the thread that does it, in groups: first come, first served.
///
/// An element can leave again until the thread takes it. The line has limited room: callers beyond it wait for
/// room before they have anything to join with.
final class WaitingLine<Element: Waiting>: Sendable {
  struct State: Sendable {
    var elements = TicketQueue<Element>()
    /// Callers that wait for room.
    var visitors = TicketQueue<Visitor>()
    /// What was set aside for callers that have been let in and have not joined yet.
    var reserved = 0
    /// What the element cost that joined last: the best guess for the next one.
    var lastCost = 1
    var isSleeping = false
    /// How many the thread waits for, when it gathers.
    var wanted = Int.max
    var isClosed = false
    /// Whether the thread is to look around although nothing waits.
    var isNudged = false
  }

  /// How waiting for room has ended.
  enum Entry: Sendable {
    /// There is room.
    case admitted
    /// The task was cancelled.
    case cancelled
    /// The caller's time was over; see ``WaitingLine/expire(by:)``.
    case expired
  }

  /// A caller that waits for room.
  struct Visitor: Waiting {
    let cost = 0
    let deadline: ContinuousClock.Instant
    let answer: CheckedContinuation<(Entry, Int), Never>
  }

  /// Room in the line that is kept for a caller until this ends.
  struct Admission: ~Copyable, Sendable {
    /// How waiting for it has ended.
    let entry: Entry
    /// Since when the caller waited.
    let since: ContinuousClock.Instant
    let line: WaitingLine
    let reserved: Int

    deinit { line.giveBack(reserved) }
  }

  let state = Monitor(State())
  let room: Int
  /// Whether callers have to wait for room; known without the lock.
  let isCrowded = Atomic(false)

  /// A line with nothing in it.
  ///
  /// - Parameter room: The total cost at which callers begin to wait for room. An empty line has room for
  ///   anything.
  init(room: Int = .max) {
    self.room = room
  }

  /// Adds an element after those that wait.
  ///
  /// - Returns: The ticket by which it can leave; `nil` after ``close()``, where it will not be taken.
  func join(_ element: Element) -> UInt64? {
    let cost = element.cost
    let (ticket, wakes) = state.withLock { state -> (UInt64?, Bool) in
      guard !state.isClosed else { return (nil, false) }
      let ticket = state.elements.append(element)
      state.lastCost = max(cost, 1)
      if !hasRoom(state) { isCrowded.store(true, ordering: .relaxed) }
      // A wake costs a system call, so only a thread that has what it waits for gets one, and only once.
      let wakes = state.isSleeping || state.elements.count >= state.wanted
      state.isSleeping = false
      if wakes { state.wanted = .max }
      return (ticket, wakes)
    }
    if wakes { state.wake() }
    return ticket
  }

  /// Takes out the element with a ticket, wherever it is in the line.
  ///
  /// - Returns: `nil` if it has been taken.
  /// - Complexity: Amortized O(log n).
  func leave(_ ticket: UInt64) -> Element? {
    change { $0.elements.remove(ticket) }
  }

  /// Removes the elements whose time is over, and lets callers go that wait for room and whose time is over.
  ///
  /// - Parameter now: The time.
  /// - Returns: The elements, and when to call again at the latest: nobody's time is over before.
  /// - Complexity: O(1) before the time that the last call returned; otherwise O(n).
  func expire(by now: ContinuousClock.Instant) -> (expired: [Element], next: ContinuousClock.Instant?) {
    // Callers that wait for room go first, so that none is let in whose time is over.
    let visitors = state.withLock { $0.visitors.expire(by: now) }
    for visitor in visitors { visitor.answer.resume(returning: (.expired, 0)) }
    return change { state in
      let expired = state.elements.expire(by: now)
      return (expired, [state.elements.nextDeadline, state.visitors.nextDeadline].compactMap(\.self).min())
    }
  }

  /// Puts back what was taken, before all that wait, also into a closed line. It cannot leave by its ticket
  /// any more.
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

  /// Wakes the thread once, although nothing may wait for it.
  func nudge() {
    state.withLock { $0.isNudged = true }
    state.wake()
  }

  /// Waits until there is something, or somebody has called ``nudge()``.
  ///
  /// - Returns: `false` where there is nothing and the line is closed.
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

  /// Waits until `count` wait, or the time is over.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - nanoseconds: How long at most.
  func gather(_ count: Int, upTo nanoseconds: Int) {
    let isThere: Void? = state.wait(upTo: nanoseconds) { state in
      if state.elements.count >= count || state.isClosed { return () }
      state.wanted = count
      return nil
    }
    if isThere == nil { state.withLock { $0.wanted = .max } }
  }

  /// Takes elements from the front as long as `fits` says so; the first one whatever it says.
  func take(while fits: (Element) -> Bool) -> [Element] {
    change { state in
      var taken: [Element] = []
      while let next = state.elements.first {
        let isFitting = fits(next)
        guard isFitting || taken.isEmpty else { break }
        _ = state.elements.popFirst()
        taken.append(next)
      }
      return taken
    }
  }

  /// Whether nothing waits, and nothing will.
  var isOver: Bool { state.withLock { $0.isClosed && $0.elements.isEmpty } }

  /// Lets nobody else join, and the thread end when all are served.
  func close() {
    state.withLock { $0.isClosed = true }
    state.wake()
  }
}
