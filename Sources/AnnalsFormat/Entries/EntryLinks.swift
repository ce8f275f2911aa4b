/// The links of an entry: for each level l with 4^l dividing its revision, the distance in positions to
/// revision − 4^l.
///
/// Of a thousand entries, four have more links than are stored inline here.
@usableFromInline package struct EntryLinks: Sendable {
  @usableFromInline var first: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  @usableFromInline var more: [UInt64] = []
  /// The number of links.
  @usableFromInline package internal(set) var count = 0

  /// No links.
  @inlinable
  package init() {}

  /// Adds the link of the next level.
  @inlinable
  package mutating func append(_ distance: UInt64) {
    switch count {
    case 0: first.0 = distance
    case 1: first.1 = distance
    case 2: first.2 = distance
    case 3: first.3 = distance
    default: more.append(distance)
    }
    count += 1
  }

  /// The link of a level.
  @inlinable
  package subscript(level: Int) -> UInt64 {
    switch level {
    case 0: first.0
    case 1: first.1
    case 2: first.2
    case 3: first.3
    default: more[level - 4]
    }
  }
}

extension EntryLinks: Equatable, ExpressibleByArrayLiteral {
  /// The links of the levels from 0 on.
  @usableFromInline package init(arrayLiteral distances: UInt64...) {
    for distance in distances { append(distance) }
  }

  @usableFromInline package static func == (left: EntryLinks, right: EntryLinks) -> Bool {
    left.count == right.count && (0..<left.count).allSatisfy { left[$0] == right[$0] }
  }
}
