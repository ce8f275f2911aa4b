public import AnnalsCoding

extension FieldWriter {
  /// Enters an array of `count` elements, which ``leave()`` leaves.
  @usableFromInline
  mutating func beginList(_ count: Int) throws(CodingFailure) {
    try enter()
    bytes.appendHead(.array, UInt64(count))
  }

  /// Enters a map of `count` pairs, which ``leave()`` leaves.
  @usableFromInline
  mutating func beginMap(_ count: Int) throws(CodingFailure) {
    try enter()
    bytes.appendHead(.map, UInt64(count))
  }

  /// Returns the order of keys or elements, the first of which is written next.
  @usableFromInline
  func order() -> KeyOrder {
    KeyOrder(at: bytes.count)
  }

  /// Records in `order` that a key has just been written.
  @usableFromInline
  func endKey(_ order: inout KeyOrder) {
    order.endKey(in: bytes)
  }

  /// Records in `order` that the value of that key has just been written.
  @usableFromInline
  func endValue(_ order: inout KeyOrder) {
    order.endValue(in: bytes)
  }

  /// Sorts everything written since `order` was made.
  @usableFromInline
  mutating func sort(_ order: KeyOrder) throws(CodingFailure) {
    if let twice = order.sort(&bytes) { throw CodingFailure(.duplicateKey, at: twice) }
  }
}
