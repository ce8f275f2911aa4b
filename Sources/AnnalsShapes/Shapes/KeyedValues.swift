package import AnnalsCoding

/// A search for the values of keys in a payload whose shape is unknown.
package struct KeyedValues {
  private let wanted: Set<[ExactText]>
  private var path: [ExactText] = []
  private var place: [LostValue.Step] = []
  private var found: [LostValue] = []

  /// Returns the values at `paths`, except null; arrays have no part in a path, as in ``KeyPaths``.
  ///
  /// It is unknown which of several values at one path a type skips, so all of them are returned.
  ///
  /// - Throws: ``CodingFailure`` if `payload` is not a payload.
  /// - Complexity: O(bytes).
  package static func of(
    _ paths: [[ExactText]], in payload: Span<UInt8>
  ) throws(CodingFailure) -> [LostValue] {
    try PayloadCheck.validate(payload)
    var values = KeyedValues(wanted: Set(paths))
    var reader = CBORReader(payload)
    try values.item(&reader)
    return values.found
  }

  private init(wanted: Set<[ExactText]>) {
    self.wanted = wanted
  }

  private mutating func item(_ reader: inout CBORReader) throws(CodingFailure) {
    let start = reader.offset
    let head = try reader.head()
    switch head.major {
    case .array:
      for index in 0..<head.argument {
        place.append(.index(Int(clamping: index)))
        try item(&reader)
        place.removeLast()
      }
    case .map:
      for _ in 0..<head.argument {
        let key = ExactText(try reader.text(reader.take(reader.head().argument)))
        path.append(key)
        place.append(.key(key))
        let start = reader.offset
        if wanted.contains(path), try reader.peek() != 0xf6 {
          reader.move(to: try reader.bytes.end(ofItems: 1, from: start))
          found.append(
            LostValue(path: path, place: place, bytes: start..<reader.offset, removedIn: nil))
        } else {
          try item(&reader)
        }
        path.removeLast()
        place.removeLast()
      }
    default: reader.move(to: try reader.bytes.end(ofItems: 1, from: start))
    }
  }
}
