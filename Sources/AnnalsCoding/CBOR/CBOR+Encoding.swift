extension CBOR {
  /// Returns the bytes of this value in the deterministic form of RFC 8949, section 4.2.1.
  ///
  /// Every result of ``init(decoding:)`` can be encoded, including tags and keys of any type.
  /// ``encodedPayload()`` is the strict writer.
  ///
  /// - Throws: ``CodingFailure`` if a simple value is one of 20 to 31, which are separate cases or undefined,
  ///   or the tree is more than ``depthLimit`` deep.
  public func encoded() throws(CodingFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    try encode(into: &bytes, strict: false, depth: 0)
    return bytes
  }

  /// Appends the value, nested in `depth` containers; `strict` refuses values that a payload may not have.
  func encode(into bytes: inout [UInt8], strict: Bool, depth: Int) throws(CodingFailure) {
    switch self {
    case .unsigned(let number): bytes.appendHead(.unsigned, number)
    case .negative(let number): bytes.appendHead(.negative, number)
    case .bytes(let string): bytes.appendByteString(string)
    case .text(let text): bytes.appendText(text)
    case .array(let elements):
      try enter(depth, at: bytes.count)
      bytes.appendHead(.array, UInt64(elements.count))
      for element in elements {
        try element.encode(into: &bytes, strict: strict, depth: depth + 1)
      }
    case .map(let pairs):
      try enter(depth, at: bytes.count)
      try encode(pairs, into: &bytes, strict: strict, depth: depth + 1)
    case .tagged(let tag, let value):
      guard !strict else { throw CodingFailure(.unsupported, at: bytes.count, detail: "a tag") }
      try enter(depth, at: bytes.count)
      bytes.appendHead(.tag, tag)
      try value.encode(into: &bytes, strict: strict, depth: depth + 1)
    case .bool(let flag): bytes.appendBool(flag)
    case .null: bytes.appendNull()
    case .undefined:
      guard !strict else { throw CodingFailure(.unsupported, at: bytes.count, detail: "undefined") }
      bytes.append(0xf7)
    case .simple(let number):
      guard !strict, !(20..<32).contains(number) else {
        throw CodingFailure(.unsupported, at: bytes.count, detail: "a simple value")
      }
      bytes.appendHead(.simple, UInt64(number))
    case .double(let number): bytes.appendDouble(number)
    }
  }

  private func encode(
    _ pairs: [Pair], into bytes: inout [UInt8], strict: Bool, depth: Int
  ) throws(CodingFailure) {
    bytes.appendHead(.map, UInt64(pairs.count))
    var order = KeyOrder(at: bytes.count)
    for pair in pairs {
      if strict, case .text = pair.key {
      } else if strict {
        throw CodingFailure(.unsupported, at: bytes.count, detail: "a key that is not text")
      }
      try pair.key.encode(into: &bytes, strict: strict, depth: depth)
      order.endKey(in: bytes)
      try pair.value.encode(into: &bytes, strict: strict, depth: depth)
      order.endValue(in: bytes)
    }
    if let twice = order.sort(&bytes), strict {
      throw CodingFailure(.duplicateKey, at: twice)
    }
  }

  private func enter(_ depth: Int, at offset: Int) throws(CodingFailure) {
    guard depth < Self.depthLimit else { throw CodingFailure(.tooDeep, at: offset) }
  }
}
