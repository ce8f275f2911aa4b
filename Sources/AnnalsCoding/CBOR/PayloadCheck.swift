/// A check of the rules for payloads that uses only the bytes and builds no value.
///
/// A payload is one item in the deterministic form of RFC 8949, section 4.2.1: shortest heads and
/// floating-point numbers, definite lengths, and unique keys sorted by their encoded bytes. Its values are
/// integers, texts, byte strings, arrays, maps, floating-point numbers, false, true and null. Keys are texts.
package enum PayloadCheck {
  /// Refuses `bytes` that are not a payload.
  ///
  /// - Parameter limit: The maximum number of levels, up to ``CBOR/depthLimit``.
  /// - Returns: The major type of the item: an array for a payload by shape, a map for one by name.
  /// - Throws: ``CodingFailure`` with the first byte that breaks a rule.
  /// - Complexity: O(`bytes.count`), without allocating.
  @discardableResult
  package static func validate(
    _ bytes: Span<UInt8>, levels limit: Int = CBOR.depthLimit
  ) throws(CodingFailure) -> CBORHead.Major {
    var reader = CBORReader(bytes)
    let first = CBORHead.Major(ofFirst: try reader.peek())
    try reader.checkItem(depth: CBOR.depthLimit - limit)
    try reader.finish()
    return first
  }
}

extension CBORReader {
  /// Reads one item, nested in `depth` containers, and refuses it if it breaks a rule.
  package mutating func checkItem(depth: Int) throws(CodingFailure) {
    let start = offset
    let head = try canonicalHead()
    switch head.major {
    case .unsigned, .negative: break
    case .bytes: _ = try take(head.argument)
    case .text: try checkText(try take(head.argument))
    case .array:
      try enter(depth, at: start)
      for _ in 0..<(try count(head.argument)) {
        try checkItem(depth: depth &+ 1)
      }
    case .map:
      try enter(depth, at: start)
      var previous = 0..<0
      for _ in 0..<(try count(head.argument, width: 2)) {
        let key = try checkKey(after: previous)
        try checkItem(depth: depth &+ 1)
        previous = key
      }
    case .tag: throw CodingFailure(.unsupported, at: start, detail: "a tag")
    case .simple: try checkSimple(head, at: start)
    }
  }

  /// Reads a key, which must sort after the one encoded at `previous` (empty before the first).
  mutating func checkKey(after previous: Range<Int>) throws(CodingFailure) -> Range<Int> {
    let start = offset
    let head = try canonicalHead()
    guard head.major == .text else {
      throw CodingFailure(.unsupported, at: start, detail: "a key that is not text")
    }
    try checkText(try take(head.argument))
    let key = start..<offset
    let order = previous.isEmpty ? -1 : bytes.order(of: previous, against: key)
    if order >= 0 {
      throw CodingFailure(order == 0 ? .duplicateKey : .unsortedKeys, at: start)
    }
    return key
  }

  /// Refuses the simple value or number `head` at `start` if a payload may not have it in this form.
  func checkSimple(_ head: CBORHead, at start: Int) throws(CodingFailure) {
    switch head.info {
    case 20, 21, 22: return
    case 25...27:
      let form = head.floatForm
      guard FloatForm(form.widened) == form else { throw CodingFailure(.notCanonical, at: start) }
    case 24 where head.argument < 32, 31: throw CodingFailure(.malformed, at: start)
    default: throw CodingFailure(.unsupported, at: start, detail: "a simple value")
    }
  }
}
