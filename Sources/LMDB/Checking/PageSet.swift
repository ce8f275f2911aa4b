/// A set of page numbers, with one bit for each page of the file, or some bytes for each number where they are few.
struct PageSet {
  private var words: [UInt64]
  private var few: Set<UInt64> = []
  private let isSmall: Bool
  /// The first number that cannot be in the set.
  let limit: UInt64

  /// An empty set of numbers below `limit`.
  ///
  /// - Parameter isSmall: Whether there will be few, so that nothing is set aside for each page of the file.
  init(limit: Int, isSmall: Bool = false) {
    words = isSmall ? [] : Array(repeating: 0, count: limit / 64 + 1)
    self.isSmall = isSmall
    self.limit = UInt64(limit)
  }

  /// Adds a number below the limit.
  ///
  /// - Returns: Whether it was new.
  mutating func insert(_ number: UInt64) -> Bool {
    if isSmall { return few.insert(number).inserted }
    let (word, bit) = (Int(number / 64), UInt64(1) << (number % 64))
    guard words[word] & bit == 0 else { return false }
    words[word] |= bit
    return true
  }

  /// The numbers that are in both sets, which are of one kind.
  func common(with other: PageSet) -> [UInt64] {
    if isSmall { return few.intersection(other.few).sorted() }
    var common: [UInt64] = []
    for word in words.indices {
      var bits = words[word] & other.words[word]
      while bits != 0 {
        common.append(UInt64(word) * 64 + UInt64(bits.trailingZeroBitCount))
        bits &= bits - 1
      }
    }
    return common
  }

  /// How many numbers are in the set.
  var count: Int { isSmall ? few.count : words.reduce(0) { $0 + $1.nonzeroBitCount } }
}

/// The parts of one page that nodes take, with one bit for each two bytes.
struct PageSpace {
  private var words = InlineArray<32, UInt64>(repeating: 0)

  /// Takes the bytes of a node, which lie inside the page.
  ///
  /// - Returns: Whether they were free.
  mutating func take(_ bytes: Range<Int>) -> Bool {
    var (half, end) = (bytes.lowerBound / 2, (bytes.upperBound + 1) / 2)
    end = min(end, pageSize / 2)
    var isFree = true
    while half < end {
      let (word, first) = (half / 64, half % 64)
      let count = min(64 - first, end - half)
      let mask = (count == 64 ? UInt64.max : (1 << UInt64(count)) - 1) << UInt64(first)
      if words[word] & mask != 0 { isFree = false }
      words[word] |= mask
      half += count
    }
    return isFree
  }
}
