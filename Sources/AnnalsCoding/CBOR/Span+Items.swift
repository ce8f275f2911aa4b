extension Span<UInt8> {
  /// Returns the end of `items` items that begin at `start`, including all nested items.
  ///
  /// Only lengths are checked, for items of any type.
  ///
  /// - Complexity: O(items within them), without recursion.
  @inlinable package func end(ofItems items: Int, from start: Int) throws(CodingFailure) -> Int {
    let count = self.count
    var left = items
    var offset = start
    while left > 0 {
      left &-= 1
      guard offset < count else { throw CodingFailure(.truncated, at: offset) }
      let first = self[offset]
      let info = first & 31
      let major = first >> 5
      var argument = Int(info)
      if info >= 24 {
        guard info < 28 else { throw CodingFailure(.notCanonical, at: offset) }
        let width = 1 << Int(info &- 24)
        guard count &- offset > width else { throw CodingFailure(.truncated, at: offset) }
        if major >= 2, major <= 5 {
          var number: UInt64 = 0
          for index in 1...width { number = number << 8 | UInt64(self[offset &+ index]) }
          // No item is longer than all bytes, so a length beyond them needs no exact value.
          argument = Int(Swift.min(number, UInt64(count)))
        }
        offset &+= width
      }
      offset &+= 1
      switch major {
      case 2, 3:
        guard argument <= count &- offset else { throw CodingFailure(.truncated, at: offset) }
        offset &+= argument
      case 4:
        guard argument <= count &- offset else { throw CodingFailure(.truncated, at: offset) }
        left &+= argument
      case 5:
        guard argument <= (count &- offset) / 2 else { throw CodingFailure(.truncated, at: offset) }
        left &+= 2 &* argument
      case 6: throw CodingFailure(.unsupported, at: offset &- 1, detail: "a tag")
      default: break
      }
    }
    return offset
  }

  /// Returns the end of the head at `start`, which must be that of an array of `elements`.
  @inline(__always)
  @inlinable package func end(ofHead elements: Int, at start: Int) throws(CodingFailure) -> Int {
    // Nearly every record has fewer fields than that, and then its head is one byte.
    if elements < 24, start < count, self[start] == 0x80 | UInt8(truncatingIfNeeded: elements) {
      return start &+ 1
    }
    var reader = CBORReader(self, at: start)
    let head = try reader.canonicalHead()
    guard head.major == .array, head.argument == UInt64(elements) else {
      throw CodingFailure(.wrongType, at: start, detail: "an array of \(elements) wanted")
    }
    return reader.offset
  }
}
