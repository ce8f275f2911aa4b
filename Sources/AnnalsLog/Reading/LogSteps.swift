package import AnnalsCoding

/// Chooses the next position of the log, and how a cursor moves there. Positions have no gaps, so the path is
/// known in advance.
package struct LogSteps: Sendable {
  /// How a cursor gets to the next position.
  enum Move: Sendable {
    case seek(UInt64)
    case next
    case previous
  }

  private var position: UInt64
  /// The log's last position when the read began; 0 where it was empty.
  let last: UInt64
  private let backwards: Bool
  /// The lowest position.
  private let end: UInt64
  private var remaining: Int
  private var hasBegun = false

  /// Creates the path from `start` (by default one end of the log) through a log that ends at `last` (0: it
  /// is empty).
  ///
  /// - Parameter through: The position to end at; `nil` for the other end of the log.
  package init(
    start: Position?, through: Position? = nil, backwards: Bool, last newest: UInt64, limit: Int
  ) {
    let last = backwards ? newest : min(through?.rawValue ?? newest, newest)
    self.last = last
    self.backwards = backwards
    end = backwards ? max(through?.rawValue ?? 1, 1) : 1
    remaining = limit
    position = backwards ? min(start?.rawValue ?? last, last) : max(start?.rawValue ?? 1, 1)
  }

  /// Whether the last position or the limit has been reached.
  var isAtEnd: Bool { remaining <= 0 || position < end || position > last }

  /// Makes the next step seek, because a cursor of another snapshot makes it.
  mutating func enterSnapshot() {
    hasBegun = false
  }

  /// The next position and how to get there; `nil` at the end or the limit.
  mutating func next() -> (Position, Move)? {
    if isAtEnd { return nil }
    remaining -= 1
    defer {
      hasBegun = true
      // A damaged key may be the largest number.
      position = backwards ? position - 1 : position &+ 1
    }
    return (Position(position), !hasBegun ? .seek(position) : backwards ? .previous : .next)
  }
}
