/// The rules of payloads, checked on bytes without building a value.
///
/// A payload is one item in the deterministic form of RFC 8949, section 4.2.1: shortest heads and floating-point
/// numbers, definite lengths, keys sorted by their encoded bytes and none twice. Besides integers, texts,
/// byte strings, arrays, maps and floating-point numbers it may hold false, true and null, and keys are texts.
package enum PayloadCheck {
  /// Refuses `bytes` that are not a payload.
  ///
  /// - Returns: The major type of the item: an array is by shape, a map by name.
  /// - Throws: ``CodingFailure`` with the first byte that breaks a rule.
  /// - Complexity: O(`bytes.count`), without allocating.
  @discardableResult
  package static func validate(_ bytes: Span<UInt8>) throws(CodingFailure) -> CBORHead.Major {
    var reader = CBORReader(bytes)
    let first = CBORHead.Major(ofFirst: try reader.peek())
    try reader.checkItem(depth: 0)
    try reader.finish()
    return first
  }
}

extension CBORReader {
  /// Takes one item and refuses it where it breaks a rule; `depth` is how many containers it stands in.
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

  /// Takes a key, which must sort after the one encoded at `previous` (empty before the first).
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

  /// Refuses the simple value or number `head` that stands at `start` where a payload may not hold it so.
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
