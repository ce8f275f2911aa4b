public import AnnalsCoding

extension FieldReader {
  /// Enters an array, which ``leave()`` leaves.
  ///
  /// - Returns: The number of elements; each takes at least a byte, so there are no more than bytes.
  @usableFromInline
  mutating func beginList() throws(CodingFailure) -> Int {
    let start = reader.offset
    let count = try reader.count(try head(.array, "an array"))
    try enter(at: start)
    return count
  }

  /// Enters a map, which ``leave()`` leaves.
  ///
  /// - Returns: The number of pairs; each takes at least two bytes.
  @usableFromInline
  mutating func beginMap() throws(CodingFailure) -> Int {
    let start = reader.offset
    let count = try reader.count(try head(.map, "a map"), width: 2)
    try enter(at: start)
    return count
  }

  /// Returns for how many of `count` elements of the type `type` capacity may be reserved before they are
  /// read.
  ///
  /// An element of one byte, such as null or an empty record, may take hundreds of bytes of memory, and a
  /// count is unverified until the elements are read. So at most eight bytes are reserved for each remaining
  /// byte, and at most 64 KiB, because lists may be nested: at most 64 of these in total, 4 MiB. Beyond that
  /// an array grows by doubling with the elements read, to at most three times its count times the stride of
  /// its elements.
  @usableFromInline
  func room<Element>(for count: Int, of type: Element.Type) -> Int {
    min(count, min(reader.remaining, 8 << 10) &* 8 / MemoryLayout<Element>.stride)
  }

  /// Refuses the key or element from `start` to here if it does not sort after the one at `previous`.
  ///
  /// - Parameter previous: The range of the previous one, empty before the first; afterwards the range of
  ///   this one.
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
