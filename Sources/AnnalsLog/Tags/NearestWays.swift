/// The ways of a query by the positions of their next entries, the nearest one first: a binary heap.
struct NearestWays: Sendable {
  /// The next entry of a way.
  struct Next: Sendable {
    let position: UInt64
    /// The number of the way.
    let way: Int
  }

  private let backwards: Bool
  private var elements: [Next] = []

  init(backwards: Bool) {
    self.backwards = backwards
  }

  /// The nearest entry; `nil` if every way has ended.
  var nearest: Next? { elements.first }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    let (left, right) = (elements[left].position, elements[right].position)
    return backwards ? left > right : left < right
  }

  /// Adds the next entry of a way.
  mutating func add(_ next: Next) {
    elements.append(next)
    var child = elements.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes the nearest entry.
  mutating func removeNearest() {
    elements.swapAt(0, elements.count - 1)
    elements.removeLast()
    var parent = 0
    while 2 * parent + 1 < elements.count {
      var child = 2 * parent + 1
      if child + 1 < elements.count, precedes(child + 1, child) { child += 1 }
      guard precedes(child, parent) else { return }
      elements.swapAt(child, parent)
      parent = child
    }
  }
}
