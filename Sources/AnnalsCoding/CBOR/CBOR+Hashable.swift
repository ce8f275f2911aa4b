extension CBOR: Hashable {
  /// Returns whether the two values are equal, bit for bit; the order of maps does not matter.
  public static func == (left: CBOR, right: CBOR) -> Bool {
    switch (left, right) {
    case (.unsigned(let left), .unsigned(let right)): left == right
    case (.negative(let left), .negative(let right)): left == right
    case (.bytes(let left), .bytes(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.map(let left), .map(let right)): areEqual(left, right)
    case (.tagged(let leftTag, let left), .tagged(let rightTag, let right)):
      leftTag == rightTag && left == right
    case (.bool(let left), .bool(let right)): left == right
    case (.null, .null), (.undefined, .undefined): true
    case (.simple(let left), .simple(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    default: false
    }
  }

  private static func areEqual(_ left: [Pair], _ right: [Pair]) -> Bool {
    guard left.count == right.count else { return false }
    if left == right {
      return true
    }
    // One order for both: an encoded map and the same map decoded seldom have the same order.
    var counts: [Pair: Int] = [:]
    for pair in left {
      counts[pair, default: 0] += 1
    }
    for pair in right {
      guard let count = counts[pair], count > 0 else { return false }
      counts[pair] = count - 1
    }
    return true
  }

  /// Hashes the value into `hasher`, regardless of the order of maps.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .unsigned(let number): Self.feed(0, number, to: &hasher)
    case .negative(let number): Self.feed(1, number, to: &hasher)
    case .bytes(let bytes): Self.feed(2, bytes, to: &hasher)
    case .text(let text):
      hasher.combine(3 as UInt8)
      hasher.combine(text.utf8.count)
      for byte in text.utf8 {
        hasher.combine(byte)
      }
    case .array(let elements): Self.feed(4, elements, to: &hasher)
    case .map(let pairs):
      // A sum does not depend on the order of its terms.
      Self.feed(5, pairs.reduce(0) { $0 &+ $1.hashValue }, to: &hasher)
    case .tagged(let tag, let value):
      Self.feed(6, tag, to: &hasher)
      hasher.combine(value)
    case .bool(let flag): Self.feed(7, flag, to: &hasher)
    case .null: hasher.combine(8 as UInt8)
    case .undefined: hasher.combine(9 as UInt8)
    case .simple(let number): Self.feed(10, number, to: &hasher)
    case .double(let number): Self.feed(11, number.bitPattern, to: &hasher)
    }
  }

  private static func feed(_ kind: UInt8, _ value: some Hashable, to hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(value)
  }
}
