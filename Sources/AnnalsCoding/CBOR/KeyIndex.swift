/// An index of the values of a map by the UTF-8 bytes of their keys.
struct KeyIndex {
  private struct Entry {
    let keyStart: Int
    let keyEnd: Int
    let value: Int
  }
  private let bytes: [UInt8]
  private let entries: [Entry]

  /// Creates the index of the map in `item`.
  init(_ item: DecodingItem) throws(CodingFailure) {
    var reader = CBORReader(item.bytes.span, at: item.offset)
    let head = try reader.head()
    guard head.major == .map else { throw item.failure(.wrongType, "a map wanted") }
    let count = try reader.count(head.argument, width: 2)
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      let keyHead = try reader.head()
      let key = try reader.take(keyHead.argument)
      entries.append(Entry(keyStart: key.lowerBound, keyEnd: key.upperBound, value: reader.offset))
      try reader.skip()
    }
    self.bytes = item.bytes
    self.entries = entries
  }

  /// Returns the offset of the value for `key`; `nil` if there is none.
  ///
  /// - Complexity: O(log n): a checked payload's keys are sorted, the shorter first.
  func value(_ key: String) -> Int? {
    var key = key
    return key.withUTF8 { key in
      unsafe bytes.withUnsafeBytes { bytes in
        var low = 0
        var high = entries.count
        while low < high {
          let middle = (low &+ high) / 2
          let entry = entries[middle]
          var order = entry.keyEnd &- entry.keyStart &- key.count
          if order == 0 {
            order = unsafe UnsafeRawBufferPointer(rebasing: bytes[entry.keyStart..<entry.keyEnd])
              .order(against: UnsafeRawBufferPointer(key))
          }
          if order == 0 {
            return entry.value
          }
          if order < 0 {
            low = middle &+ 1
          } else {
            high = middle
          }
        }
        return nil
      }
    }
  }

  /// All keys in their order.
  var keys: [String] {
    entries.map { String(decoding: bytes[$0.keyStart..<$0.keyEnd], as: UTF8.self) }
  }
}
