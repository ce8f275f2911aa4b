public import AnnalsCoding

extension FieldReader {
  /// Enters an array, which ``leave()`` leaves.
  ///
  /// - Returns: How many elements it has; each takes at least a byte, so there are no more than bytes.
  @usableFromInline
  mutating func beginList() throws(CodingFailure) -> Int {
    let start = reader.offset
    let count = try reader.count(try head(.array, "an array"))
    try enter(at: start)
    return count
  }

  /// Enters a map, which ``leave()`` leaves.
  ///
  /// - Returns: How many pairs it has; each takes at least two bytes.
  @usableFromInline
  mutating func beginMap() throws(CodingFailure) -> Int {
    let start = reader.offset
    let count = try reader.count(try head(.map, "a map"), width: 2)
    try enter(at: start)
    return count
  }

  /// For how many of `count` elements of the type `type` room may be made before they are read.
  ///
  /// An element of one byte, such as null or an empty record, may take hundreds of bytes of memory, and a count is only a
  /// claim until the elements are read. So no more than eight bytes are reserved for each byte that is left, and no more
  /// than 64 KiB, as each of the lists that stand in each other may lie: together at most 64 of these, 4 MiB. Beyond that
  /// an array grows by doubling with what was really read, to at most three times its count times the stride of its elements.
  @usableFromInline
  func room<Element>(for count: Int, of type: Element.Type) -> Int {
    min(count, min(reader.remaining, 8 << 10) &* 8 / MemoryLayout<Element>.stride)
  }

  /// Refuses the key or element from `start` to here where it does not sort after the one at `previous`.
  ///
  /// - Parameter previous: Where the one before stands, nothing before the first; afterwards where this one stands.
  @usableFromInline
  func checkOrder(from start: Int, after previous: inout Range<Int>) throws(CodingFailure) {
    let key = start..<reader.offset
    if !previous.isEmpty {
      let order = reader.bytes.order(of: previous, against: key)
      guard order < 0 else { throw CodingFailure(order == 0 ? .duplicateKey : .unsortedKeys, at: start) }
    }
    previous = key
  }
}
