extension CBOR {
  /// Decodes a payload: one item in the canonical form of payloads.
  ///
  /// That is the deterministic form of RFC 8949, section 4.2.1: shortest heads and floating-point numbers,
  /// definite lengths, text keys that are unique and sorted by their encoded bytes. Tags are not allowed, nor
  /// simple values other than false, true and null. Encoding the result produces the same bytes.
  ///
  /// - Throws: ``CodingFailure`` with the first offset that breaks a rule.
  /// - Complexity: O(`bytes.count`), and memory in proportion to it.
  public init(payload bytes: [UInt8]) throws(CodingFailure) {
    try self.init(payload: bytes.span)
  }

  /// Decodes a payload from borrowed bytes.
  package init(payload bytes: Span<UInt8>) throws(CodingFailure) {
    var reader = CBORReader(bytes)
    self = try reader.payloadItem(depth: 0)
    try reader.finish()
  }

  /// Returns the bytes of this value as a payload.
  ///
  /// The encoder sorts pairs, so their order in the tree does not matter.
  ///
  /// - Throws: ``CodingFailure`` if the tree has a tag, `undefined`, another simple value, a key that is not
  ///   text or is a duplicate, or is more than ``depthLimit`` deep.
  /// - Complexity: O(n log n) in the number of pairs of a map that is not sorted yet, otherwise O(bytes).
  public func encodedPayload() throws(CodingFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    try encodePayload(into: &bytes)
    return bytes
  }

  /// Appends the bytes of this value as a payload, nested in `depth` containers; after a failure `bytes` end
  /// somewhere inside it.
  package func encodePayload(into bytes: inout [UInt8], depth: Int = 0) throws(CodingFailure) {
    try encode(into: &bytes, strict: true, depth: depth)
  }
}

extension CBORReader {
  /// Reads the next item of a payload, nested in `depth` containers.
  package mutating func payloadItem(depth: Int) throws(CodingFailure) -> CBOR {
    let start = offset
    let head = try canonicalHead()
    switch head.major {
    case .unsigned: return .unsigned(head.argument)
    case .negative: return .negative(head.argument)
    case .bytes: return .bytes(copy(try take(head.argument)))
    case .text: return .text(try text(try take(head.argument)))
    case .array:
      try enter(depth, at: start)
      var elements: [CBOR] = []
      for _ in 0..<(try count(head.argument)) {
        elements.append(try payloadItem(depth: depth &+ 1))
      }
      return .array(elements)
    case .map:
      try enter(depth, at: start)
      var pairs: [CBOR.Pair] = []
      var previous = 0..<0
      for _ in 0..<(try count(head.argument, width: 2)) {
        let keyStart = offset
        previous = try checkKey(after: previous)
        let next = offset
        move(to: keyStart)
        let key = try text(try take(head: try canonicalHead()))
        move(to: next)
        pairs.append(CBOR.Pair(.text(key), try payloadItem(depth: depth &+ 1)))
      }
      return .map(pairs)
    case .tag: throw CodingFailure(.unsupported, at: start, detail: "a tag")
    case .simple:
      try checkSimple(head, at: start)
      switch head.info {
      case 20: return .bool(false)
      case 21: return .bool(true)
      case 22: return .null
      default: return .double(Double(bitPattern: head.floatForm.widened))
      }
    }
  }

  private mutating func take(head: CBORHead) throws(CodingFailure) -> Range<Int> {
    try take(head.argument)
  }
}
