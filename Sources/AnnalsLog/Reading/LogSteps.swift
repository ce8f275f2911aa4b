package import AnnalsCoding
internal import LMDB

/// Chooses the next position of the log, and how a cursor moves there. Positions have no gaps, so the path is
/// known in advance.
package struct LogSteps: Sendable {
  /// How a cursor gets to the next position.
  enum Move: Sendable {
    case seek(UInt64)
    case next
    case previous

    /// Moves `cursor`.
    @_lifetime(copy cursor)
    func run(on cursor: inout IntegerCursor) throws(EnvironmentError) -> IntegerRow? {
      switch self {
      case .seek(let key): try cursor.seek(key)
      case .next: try cursor.next()
      case .previous: try cursor.previous()
      }
    }
  }

  private var position: UInt64
  /// The log's last position when the read began; 0 where it was empty.
  let last: UInt64
  private let backwards: Bool
  private var remaining: Int
  private var hasBegun = false

  /// Creates the path from `start` (by default one end of the log) through a log that ends at `last` (0: it
  /// is empty).
  package init(start: Position?, backwards: Bool, last: UInt64, limit: Int) {
    self.last = last
    self.backwards = backwards
    remaining = limit
    position = backwards ? min(start?.rawValue ?? last, last) : max(start?.rawValue ?? 1, 1)
  }

  /// Whether the last position or the limit has been reached.
  var isAtEnd: Bool { remaining <= 0 || position == 0 || position > last }

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
