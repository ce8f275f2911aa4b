internal import AnnalsCoding

/// What a range of positions delivers, in a few numbers: equal where the same events come of it with the same
/// coordinates.
///
/// It finds accidents, not attacks. Digests of neighbouring ranges add up in any order.
struct EventDigest: Equatable, Sendable {
  /// What a part of the log delivers.
  struct Sum: Equatable, Sendable {
    /// The number of entries.
    var entries: UInt64 = 0
    /// The number of events that are delivered.
    var events: UInt64 = 0
    /// The low and the high words of the hashes of all events, added up.
    var low: UInt64 = 0
    var high: UInt64 = 0

    /// Adds what another part delivers; sums go around.
    mutating func add(_ other: Sum) {
      entries &+= other.entries
      events &+= other.events
      low &+= other.low
      high &+= other.high
    }
  }

  /// How many positions a block has.
  static let block: UInt64 = 65_536

  /// The positions of the block numbered `number`.
  static func positions(of number: UInt64) -> ClosedRange<UInt64> {
    number * block...number * block + (block - 1)
  }

  /// What each block of positions delivers, by its number: block n begins at position n · ``block``.
  private(set) var blocks: [UInt64: Sum] = [:]

  /// What all positions deliver together.
  var total: Sum {
    blocks.values.reduce(into: Sum()) { $0.add($1) }
  }

  /// Adds what the entry at `position` delivers.
  mutating func add(_ sum: Sum, at position: Position) {
    blocks[position.rawValue / Self.block, default: Sum()].add(sum)
  }

  /// Adds the digest of other positions.
  mutating func add(_ other: EventDigest) {
    for (number, sum) in other.blocks { blocks[number, default: Sum()].add(sum) }
  }

  /// The first block of positions of which `other` delivers something else; `nil` if there is none.
  func difference(from other: EventDigest) -> ClosedRange<UInt64>? {
    let numbers = Set(blocks.keys).union(other.blocks.keys).filter { blocks[$0] != other.blocks[$0] }
    return numbers.min().map(Self.positions(of:))
  }
}

extension EventDigest.Sum {
  /// The numbers in hexadecimal, to be kept and compared.
  var text: String {
    [entries, events, low, high].map { String($0, radix: 16) }.joined(separator: "-")
  }
}
