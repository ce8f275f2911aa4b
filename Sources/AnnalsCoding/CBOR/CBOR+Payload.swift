extension CBOR {
  /// Reads a payload: one item in the one form that payloads have.
  ///
  /// That is the deterministic form of RFC 8949, section 4.2.1: shortest heads and floating-point numbers,
  /// definite lengths, text keys sorted by their encoded bytes and none twice, no tags, no simple values but
  /// false, true and null. Writing what was read gives the same bytes.
  ///
  /// - Throws: ``CodingFailure`` with the first offset that breaks a rule.
  /// - Complexity: O(`bytes.count`), and memory in proportion to it.
  public init(payload bytes: [UInt8]) throws(CodingFailure) {
    try self.init(payload: bytes.span)
  }

  /// Reads a payload from bytes lent to it.
  package init(payload bytes: Span<UInt8>) throws(CodingFailure) {
    var reader = CBORReader(bytes)
    self = try reader.payloadItem(depth: 0)
    try reader.finish()
  }

  /// The bytes of this value as a payload.
  ///
  /// Pairs are sorted on the way, so their order in the tree does not matter.
  ///
  /// - Throws: ``CodingFailure`` where the tree holds a tag, `undefined`, another simple value, a key that is
  ///   not text or stands twice, or is more than ``depthLimit`` deep.
  /// - Complexity: O(n log n) in the number of pairs of a map that is not sorted yet, else O(bytes).
  public func encodedPayload() throws(CodingFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    try encodePayload(into: &bytes)
    return bytes
  }

  /// Appends the bytes of this value as a payload; after a failure `bytes` end somewhere inside it.
  func encodePayload(into bytes: inout [UInt8]) throws(CodingFailure) {
    try encode(into: &bytes, strict: true, depth: 0)
  }
}

extension CBORReader {
  /// Takes the next item of a payload; `depth` is how many containers it stands in.
  mutating func payloadItem(depth: Int) throws(CodingFailure) -> CBOR {
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
