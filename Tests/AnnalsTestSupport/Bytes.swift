// Most tests are not optimised, and call a function for each byte that they make, copy or compare. This
// module is optimised.

extension SeededGenerator {
  /// Returns `count` bytes.
  package mutating func bytes(count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let word = next()
      for index in 0..<min(8, count - bytes.count) {
        bytes.append(UInt8(truncatingIfNeeded: word >> (index * 8)))
      }
    }
    return bytes
  }
}

extension [UInt8] {
  /// Creates a copy of the bytes of `span`.
  package init(copying span: Span<UInt8>) {
    self = span.indices.map { span[$0] }
  }
}

/// Returns whether both have the same bytes.
package func areSame(_ first: [UInt8]?, _ second: [UInt8]?) -> Bool {
  first == second
}
