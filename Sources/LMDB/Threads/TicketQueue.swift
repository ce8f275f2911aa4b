/// A queue whose elements can also leave from the middle, each found by its ticket.
///
/// Elements stand in the order of their tickets, so one is found by bisection. A place whose element has left
/// stays empty until half of all places are.
struct TicketQueue<Element: Sendable>: Sendable {
  private struct Place: Sendable {
    let ticket: UInt64
    let cost: Int
    let element: Element
  }

  /// The ticket of elements that cannot leave from the middle any more.
  private static var noTicket: UInt64 { 0 }

  /// A ring: the first place is at `head`, and `length` places follow each other. A ring has a power of two
  /// of them.
  private var ring: [Place?] = []
  /// The tickets, which empty places keep.
  private var tickets: [UInt64] = []
  private var head = 0
  private var length = 0
  private var newest: UInt64 = 0
  /// How many elements there are.
  private(set) var count = 0
  /// What all of them cost together.
  private(set) var cost = 0

  var isEmpty: Bool { count == 0 }

  private func index(_ place: Int) -> Int { (head + place) & (ring.count - 1) }

  /// Adds an element after all others.
  ///
  /// - Returns: Its ticket.
  mutating func append(_ element: Element, cost: Int) -> UInt64 {
    makeRoom(for: 1)
    newest += 1
    set(length, Place(ticket: newest, cost: cost, element: element), newest)
    length += 1
    return newest
  }

  /// Puts elements before all others. They have no tickets.
  ///
  /// - Complexity: Amortized O(`elements.count`).
  mutating func prepend(_ elements: [Element], cost: (Element) -> Int) {
    makeRoom(for: elements.count)
    for element in elements.reversed() {
      head = (head - 1) & (ring.count - 1)
      length += 1
      set(0, Place(ticket: Self.noTicket, cost: cost(element), element: element), Self.noTicket)
    }
  }

  private mutating func set(_ place: Int, _ new: Place, _ ticket: UInt64) {
    let index = index(place)
    ring[index] = new
    tickets[index] = ticket
    count += 1
    cost += new.cost
  }

  /// Takes the element with a ticket out.
  ///
  /// - Returns: `nil` where it is not in the queue any more.
  /// - Complexity: Amortized O(log n).
  mutating func remove(_ ticket: UInt64) -> Element? {
    guard ticket != Self.noTicket else { return nil }
    var (low, high) = (0, length)
    while low < high {
      let middle = (low + high) / 2
      if tickets[index(middle)] < ticket { low = middle + 1 } else { high = middle }
    }
    guard low < length, tickets[index(low)] == ticket, let element = empty(low) else { return nil }
    compactIfSparse()
    return element
  }

  /// Takes all elements out that match.
  ///
  /// - Complexity: O(n), once for all of them.
  mutating func removeAll(where matches: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    for place in 0..<length {
      guard let found = ring[index(place)], matches(found.element) else { continue }
      if let element = empty(place) { removed.append(element) }
    }
    compactIfSparse()
    return removed
  }

  /// The first element.
  var first: Element? {
    mutating get {
      skipEmpty()
      return length == 0 ? nil : ring[head]?.element
    }
  }

  /// Takes the first element out.
  mutating func popFirst() -> Element? {
    skipEmpty()
    guard length > 0 else { return nil }
    let element = empty(0)
    skipEmpty()
    return element
  }

  /// Calls `body` with each element, the first one first.
  func forEach(_ body: (Element) -> Void) {
    for place in 0..<length {
      if let found = ring[index(place)] { body(found.element) }
    }
  }

  private mutating func empty(_ place: Int) -> Element? {
    let index = index(place)
    guard let found = ring[index] else { return nil }
    ring[index] = nil
    count -= 1
    cost -= found.cost
    return found.element
  }

  private mutating func skipEmpty() {
    while length > 0, ring[head] == nil {
      head = (head + 1) & (ring.count - 1)
      length -= 1
    }
    if length == 0, ring.count > 1 << 16 { (ring, tickets, head) = ([], [], 0) }
  }

  private mutating func compactIfSparse() {
    if length > 64, count < length / 2 { rebuild(capacity: ring.count) }
  }

  private mutating func makeRoom(for more: Int) {
    guard length + more > ring.count else { return }
    var capacity = max(ring.count * 2, 16)
    while capacity < length + more { capacity *= 2 }
    rebuild(capacity: capacity)
  }

  private mutating func rebuild(capacity: Int) {
    var (places, numbers): ([Place?], [UInt64]) = ([], [])
    places.reserveCapacity(capacity)
    numbers.reserveCapacity(capacity)
    for place in 0..<length {
      guard let found = ring[index(place)] else { continue }
      places.append(found)
      numbers.append(found.ticket)
    }
    length = places.count
    head = 0
    places.append(contentsOf: repeatElement(nil, count: capacity - length))
    numbers.append(contentsOf: repeatElement(0, count: capacity - length))
    (ring, tickets) = (places, numbers)
  }
}
