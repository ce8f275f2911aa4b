/// A set of page numbers, with one bit for each page of the file, or some bytes for each number if the set is
/// small.
struct PageSet {
  private var words: [UInt64]
  private var few: Set<UInt64> = []
  private let isSmall: Bool
  /// The lowest number that cannot be in the set.
  let limit: UInt64

  /// Creates an empty set of numbers below `limit`.
  ///
  /// - Parameter isSmall: Whether there will be few numbers, so that no memory is reserved for each page of
  ///   the file.
  init(limit: Int, isSmall: Bool = false) {
    words = isSmall ? [] : Array(repeating: 0, count: limit / 64 + 1)
    self.isSmall = isSmall
    self.limit = UInt64(limit)
  }

  /// Adds a number below the limit.
  ///
  /// - Returns: Whether the number was new.
  mutating func insert(_ number: UInt64) -> Bool {
    if isSmall { return few.insert(number).inserted }
    let (word, bit) = (Int(number / 64), UInt64(1) << (number % 64))
    guard words[word] & bit == 0 else { return false }
    words[word] |= bit
    return true
  }

  /// Returns the numbers in both sets, which must be of the same kind.
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

  /// The number of numbers in the set.
  var count: Int { isSmall ? few.count : words.reduce(0) { $0 + $1.nonzeroBitCount } }
}

/// The parts of one page that nodes occupy, with one bit for each two bytes.
struct PageSpace {
  private var words = InlineArray<32, UInt64>(repeating: 0)

  /// Marks the bytes of a node, which are inside the page, as occupied.
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
