import Synchronization

/// A line in which work waits for the thread that does it, in groups: first come, first served.
///
/// An element can leave again until the thread takes it. The line has room for so much: callers beyond it
/// wait for room before they have anything to join with.
public final class WaitingLine<Element: Sendable>: Sendable {
  private struct State: Sendable {
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
  public enum Entry: Sendable {
    /// There is room.
    case admitted
    /// The task was cancelled.
    case cancelled
    /// Somebody has called ``WaitingLine/turnAway(expiredBy:)``.
    case turnedAway
  }

  /// A caller that waits for room.
  private struct Visitor: Sendable {
    let deadline: ContinuousClock.Instant
    let answer: CheckedContinuation<(Entry, Int), Never>
  }

  /// Room in the line that is kept for a caller until this ends.
  public struct Admission: ~Copyable, Sendable {
    /// How waiting for it has ended.
    public let entry: Entry
    /// Since when the caller waited.
    public let since: ContinuousClock.Instant
    fileprivate let line: WaitingLine
    fileprivate let reserved: Int

    deinit { line.giveBack(reserved) }
  }

  private let state = Monitor(State())
  private let room: Int
  private let cost: @Sendable (Element) -> Int
  /// Whether callers have to wait for room; known without the lock.
  private let isCrowded = Atomic(false)

  /// A line with nothing in it.
  ///
  /// - Parameters:
  ///   - room: What all that wait may cost together before callers wait for room. An empty line has room for
  ///     anything.
  ///   - cost: What an element costs, 0 or more.
  public init(room: Int = .max, cost: @escaping @Sendable (Element) -> Int = { _ in 1 }) {
    self.room = room
    self.cost = cost
  }

  /// Adds an element after those that wait.
  ///
  /// - Returns: The ticket by which it can leave; `nil` after ``close()``, where it will not be taken.
  public func join(_ element: Element) -> UInt64? {
    let cost = cost(element)
    let (ticket, wakes) = state.withLock { state -> (UInt64?, Bool) in
      guard !state.isClosed else { return (nil, false) }
      let ticket = state.elements.append(element, cost: cost)
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
  public func leave(_ ticket: UInt64) -> Element? {
    change { $0.elements.remove(ticket) }
  }

  /// Takes out what `matches`, wherever it is in the line.
  public func leave(where matches: (Element) -> Bool) -> [Element] {
    change { $0.elements.removeAll(where: matches) }
  }

  /// Puts back what was taken, before all that wait, also into a closed line. It cannot leave by its ticket
  /// any more.
  public func rejoin(_ elements: [Element]) {
    state.withLock { state in
      state.elements.prepend(elements, cost: cost)
      if !hasRoom(state) { isCrowded.store(true, ordering: .relaxed) }
    }
  }

  /// Calls `body` with each element that waits, the first one first.
  public func look(_ body: (Element) -> Void) {
    state.withLock { $0.elements.forEach(body) }
  }

  /// How many wait.
  public var count: Int { state.withLock { $0.elements.count } }

  /// Whether nothing waits.
  public var isEmpty: Bool { count == 0 }

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
  public var isOver: Bool { state.withLock { $0.isClosed && $0.elements.isEmpty } }

  /// Lets nobody else join, and the thread end when all are served.
  public func close() {
    state.withLock { $0.isClosed = true }
    state.wake()
  }
}

// Room.
extension WaitingLine {
  /// Waits until the line has room, after those that have waited longer.
  ///
  /// - Parameter limit: How long the caller is ready to wait; only ``turnAway(expiredBy:)`` looks at it.
  /// - Returns: How that ended, and the room, which is kept until the value ends: end it when the element
  ///   joins.
  public func enter(within limit: Duration) async -> Admission {
    let since = ContinuousClock.now
    guard isCrowded.load(ordering: .relaxed) else {
      return Admission(entry: .admitted, since: since, line: self, reserved: 0)
    }
    let ticket = CancellableTicket()
    let (entry, reserved) = await withTaskCancellationHandler {
      await withCheckedContinuation { (answer: CheckedContinuation<(Entry, Int), Never>) in
        let visitor = Visitor(deadline: since + limit, answer: answer)
        let number = state.withLock { state -> UInt64? in
          guard !hasRoom(state) || !state.visitors.isEmpty else { return nil }
          isCrowded.store(true, ordering: .relaxed)
          return state.visitors.append(visitor, cost: 0)
        }
        guard let number else { return answer.resume(returning: (.admitted, 0)) }
        if !ticket.set(number) { dismiss(number) }
      }
    } onCancel: {
      if let number = ticket.cancel() { dismiss(number) }
    }
    return Admission(entry: entry, since: since, line: self, reserved: reserved)
  }

  /// Lets callers go that wait for room and whose time is over.
  ///
  /// - Parameter now: The time.
  /// - Returns: When the next one's time is over.
  public func turnAway(expiredBy now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    let (expired, next) = state.withLock { state -> ([Visitor], ContinuousClock.Instant?) in
      let expired = state.visitors.removeAll { $0.deadline <= now }
      var next: ContinuousClock.Instant?
      state.visitors.forEach { next = min(next ?? $0.deadline, $0.deadline) }
      return (expired, next)
    }
    for visitor in expired { visitor.answer.resume(returning: (.turnedAway, 0)) }
    return next
  }

  /// How many callers wait for room.
  public var visitorCount: Int { state.withLock { $0.visitors.count } }

  private func dismiss(_ number: UInt64) {
    state.withLock { $0.visitors.remove(number) }?.answer.resume(returning: (.cancelled, 0))
  }

  private func giveBack(_ reserved: Int) {
    if reserved > 0 { change { $0.reserved -= reserved } }
  }

  private func hasRoom(_ state: State) -> Bool {
    let taken = state.elements.cost + state.reserved
    return taken == 0 || taken < room
  }

  /// Changes what waits, and lets in those for whom there is room then.
  private func change<R>(_ body: (inout State) -> R) -> R {
    let (result, admitted) = state.withLock { state -> (R, [(Visitor, Int)]) in
      let result = body(&state)
      guard isCrowded.load(ordering: .relaxed) else { return (result, []) }
      var admitted: [(Visitor, Int)] = []
      while hasRoom(state), let visitor = state.visitors.popFirst() {
        // What it will bring is not known yet.
        admitted.append((visitor, state.lastCost))
        state.reserved += state.lastCost
      }
      if hasRoom(state) { isCrowded.store(false, ordering: .relaxed) }
      return (result, admitted)
    }
    for (visitor, reserved) in admitted { visitor.answer.resume(returning: (.admitted, reserved)) }
    return result
  }
}
