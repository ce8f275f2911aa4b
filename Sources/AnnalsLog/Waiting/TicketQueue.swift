/// An element of a queue.
package protocol Waiting: Sendable {
  /// Its share of the queue's capacity, 0 or more.
  var cost: Int { get }
  /// When it stops waiting.
  var deadline: ContinuousClock.Instant { get }
}

/// A queue whose elements can also leave from the middle, each found by its ticket.
///
/// Elements are in the order of their tickets, so bisection finds one. The place of an element that has left
/// stays empty until it is at an end of the queue, or half of all places are empty.
struct TicketQueue<Element: Waiting>: Sendable {
  /// The ticket of elements that cannot leave from the middle any longer.
  private static var noTicket: UInt64 { 0 }

  /// A ring: the first place is at `head`, and `length` places follow each other. Its capacity is a power of
  /// two.
  private var ring: [Element?] = []
  /// The tickets, which empty places keep.
  private var tickets: [UInt64] = []
  private var head = 0
  private var length = 0
  private var newest: UInt64 = 0
  /// The number of elements.
  private(set) var count = 0
  /// The total cost of the elements.
  private(set) var cost = 0
  /// No deadline passes before this; `nil` if there was none yet.
  private(set) var nextDeadline: ContinuousClock.Instant?

  var isEmpty: Bool { count == 0 }

  private func index(_ place: Int) -> Int { (head + place) & (ring.count - 1) }

  /// Adds an element after all others.
  ///
  /// - Returns: Its ticket.
  mutating func append(_ element: Element) -> UInt64 {
    makeRoom(for: 1)
    newest += 1
    set(length, element, newest)
    length += 1
    return newest
  }

  /// Puts elements before all others. They have no tickets.
  ///
  /// - Complexity: Amortized O(`elements.count`).
  mutating func prepend(_ elements: [Element]) {
    makeRoom(for: elements.count)
    for element in elements.reversed() {
      head = (head - 1) & (ring.count - 1)
      length += 1
      set(0, element, Self.noTicket)
    }
  }

  private mutating func set(_ place: Int, _ new: Element, _ ticket: UInt64) {
    let index = index(place)
    ring[index] = new
    tickets[index] = ticket
    count += 1
    cost += new.cost
    nextDeadline = min(nextDeadline ?? new.deadline, new.deadline)
  }

  /// Removes the element with a ticket.
  ///
  /// - Returns: `nil` if it is not in the queue any longer.
  /// - Complexity: Amortized O(log n).
  mutating func remove(_ ticket: UInt64) -> Element? {
    guard ticket != Self.noTicket else { return nil }
    var (low, high) = (0, length)
    while low < high {
      let middle = (low + high) / 2
      if tickets[index(middle)] < ticket { low = middle + 1 } else { high = middle }
    }
    guard low < length, tickets[index(low)] == ticket, let element = empty(low) else { return nil }
    trim()
    return element
  }

  /// Removes all elements whose deadline has passed.
  ///
  /// - Complexity: O(1) before ``nextDeadline``; otherwise O(n), once for all of them.
  mutating func expire(by now: ContinuousClock.Instant) -> [Element] {
    guard let nextDeadline, nextDeadline <= now else { return [] }
    var expired: [Element] = []
    var next: ContinuousClock.Instant?
    for place in 0..<length {
      guard let deadline = ring[index(place)]?.deadline else { continue }
      if deadline > now {
        next = min(next ?? deadline, deadline)
      } else if let element = empty(place) {
        expired.append(element)
      }
    }
    self.nextDeadline = next
    trim()
    return expired
  }

  /// The first element.
  var first: Element? {
    mutating get {
      skipEmpty()
      return length == 0 ? nil : ring[head]
    }
  }

  /// Removes the first element.
  mutating func popFirst() -> Element? {
    skipEmpty()
    guard length > 0 else { return nil }
    let element = empty(0)
    skipEmpty()
    return element
  }

  /// The elements, the first one first.
  var elements: [Element] { (0..<length).compactMap { ring[index($0)] } }

  private mutating func empty(_ place: Int) -> Element? {
    let index = index(place)
    guard let found = ring[index] else { return nil }
    ring[index] = nil
    count -= 1
    cost -= found.cost
    return found
  }

  /// Removes empty places at both ends, and all of them if they are more than half.
  private mutating func trim() {
    skipEmpty()
    while length > 0, ring[index(length - 1)] == nil { length -= 1 }
    if length > 64, count < length / 2 { closeRanks() }
  }

  private mutating func skipEmpty() {
    while length > 0, ring[head] == nil {
      head = (head + 1) & (ring.count - 1)
      length -= 1
    }
    if length == 0, ring.count > 1 << 16 { (ring, tickets, head) = ([], [], 0) }
  }

  /// Moves elements forward until no place between them is empty.
  private mutating func closeRanks() {
    var kept = 0
    for place in 0..<length where ring[index(place)] != nil {
      if kept < place {
        ring.swapAt(index(kept), index(place))
        tickets[index(kept)] = tickets[index(place)]
      }
      kept += 1
    }
    length = kept
  }

  private mutating func makeRoom(for more: Int) {
    guard length + more > ring.count else { return }
    var capacity = max(ring.count * 2, 16)
    while capacity < length + more { capacity *= 2 }
    var (places, numbers): ([Element?], [UInt64]) = ([], [])
    places.reserveCapacity(capacity)
    numbers.reserveCapacity(capacity)
    for place in 0..<length where ring[index(place)] != nil {
      places.append(ring[index(place)])
      numbers.append(tickets[index(place)])
    }
    length = places.count
    head = 0
    for _ in length..<capacity {
      places.append(nil)
      numbers.append(Self.noTicket)
    }
    (ring, tickets) = (places, numbers)
  }
}
