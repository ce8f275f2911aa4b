/// The number of times that each key occurs in a payload, by its path.
///
/// Elements of arrays have no part of their own in a path, so that their order does not matter. Keys whose
/// value is null do not count, because `Codable` omits keys for nil.
package struct KeyPaths {
  private(set) var counts: [[ExactText]: Int] = [:]

  /// Collects the keys of `payload`.
  ///
  /// - Throws: ``CodingFailure`` if it is not a payload.
  /// - Complexity: O(bytes).
  package init(of payload: Span<UInt8>) throws(CodingFailure) {
    try PayloadCheck.validate(payload)
    var reader = CBORReader(payload)
    var path: [ExactText] = []
    try Self.add(&reader, &path, to: &counts)
  }

  /// Returns the paths that occur here more often than in `other`, once for each additional time. Paths
  /// inside a missing value are omitted.
  package func missing(from other: KeyPaths) -> [[ExactText]] {
    let less = counts.filter { $0.value > other.counts[$0.key, default: 0] }
    let outermost = less.filter { path, _ in
      !(1..<max(path.count, 1)).contains { less[Array(path.prefix($0))] != nil }
    }
    return outermost.sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .flatMap { path, count in
        repeatElement(path, count: count - other.counts[path, default: 0])
      }
  }

  private static func add(
    _ reader: inout CBORReader, _ path: inout [ExactText], to counts: inout [[ExactText]: Int]
  ) throws(CodingFailure) {
    let start = reader.offset
    let head = try reader.head()
    switch head.major {
    case .array: for _ in 0..<head.argument { try add(&reader, &path, to: &counts) }
    case .map:
      for _ in 0..<head.argument {
        path.append(ExactText(try reader.text(reader.take(reader.head().argument))))
        if try reader.peek() != 0xf6 { counts[path, default: 0] += 1 }
        try add(&reader, &path, to: &counts)
        path.removeLast()
      }
    default: reader.move(to: try reader.bytes.end(ofItems: 1, from: start))
    }
  }
}
