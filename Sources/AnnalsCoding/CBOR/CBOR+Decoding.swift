extension CBOR {
  /// Decodes one item of any form that RFC 8949 allows.
  ///
  /// Definite and indefinite lengths, tags, the three widths of floating-point numbers and all simple values
  /// are read. Numbers are widened, and pieces of texts and byte strings joined. Keys may be of any type and
  /// may be duplicates: ``init(payload:)`` is the strict reader.
  ///
  /// - Parameter bytes: The item and nothing else.
  /// - Throws: ``CodingFailure`` with the offset if the bytes are not well-formed, a text is not UTF-8, items
  ///   nest more than ``depthLimit`` deep, or bytes follow.
  /// - Complexity: O(`bytes.count`), and memory in proportion to it, regardless of the lengths that the bytes
  ///   claim.
  public init(decoding bytes: [UInt8]) throws(CodingFailure) {
    var reader = CBORReader(bytes.span)
    self = try reader.item(depth: 0)
    try reader.finish()
  }
}

extension CBORReader {
  /// Reads the next item in any form, nested in `depth` containers.
  fileprivate mutating func item(depth: Int) throws(CodingFailure) -> CBOR {
    let start = offset
    let head = try head()
    if head.info == 31 {
      return try indefinite(head.major, from: start, depth: depth)
    }
    switch head.major {
    case .unsigned: return .unsigned(head.argument)
    case .negative: return .negative(head.argument)
    case .bytes: return .bytes(copy(try take(head.argument)))
    case .text: return .text(try text(try take(head.argument)))
    case .array:
      try enter(depth, at: start)
      var elements: [CBOR] = []
      for _ in 0..<(try count(head.argument)) {
        elements.append(try item(depth: depth + 1))
      }
      return .array(elements)
    case .map:
      try enter(depth, at: start)
      var pairs: [CBOR.Pair] = []
      for _ in 0..<(try count(head.argument, width: 2)) {
        let key = try item(depth: depth + 1)
        pairs.append(CBOR.Pair(key, try item(depth: depth + 1)))
      }
      return .map(pairs)
    case .tag:
      try enter(depth, at: start)
      return .tagged(head.argument, try item(depth: depth + 1))
    case .simple: return try simple(head, from: start)
    }
  }

  /// Reads the rest of an item without a length, up to the byte that ends it (section 3.2).
  private mutating func indefinite(
    _ major: CBORHead.Major, from start: Int, depth: Int
  ) throws(CodingFailure) -> CBOR {
    switch major {
    case .bytes:
      var bytes: [UInt8] = []
      while let piece = try piece(of: major) {
        bytes += copy(piece)
      }
      return .bytes(bytes)
    case .text:
      // Each piece must be valid by itself: no character may be split between pieces (section 3.2.3).
      var text = ""
      while let piece = try piece(of: major) {
        text += try self.text(piece)
      }
      return .text(text)
    case .array:
      try enter(depth, at: start)
      var elements: [CBOR] = []
      while try !end() {
        elements.append(try item(depth: depth + 1))
      }
      return .array(elements)
    case .map:
      try enter(depth, at: start)
      var pairs: [CBOR.Pair] = []
      while try !end() {
        let key = try item(depth: depth + 1)
        pairs.append(CBOR.Pair(key, try item(depth: depth + 1)))
      }
      return .map(pairs)
    case .simple, .unsigned, .negative, .tag:
      throw CodingFailure(.malformed, at: start, detail: "an end without a beginning")
    }
  }

  /// Reads the next piece of a text or byte string, which must have a definite length; `nil` at the end.
  private mutating func piece(of major: CBORHead.Major) throws(CodingFailure) -> Range<Int>? {
    if try end() {
      return nil
    }
    let start = offset
    let head = try head()
    guard head.major == major, head.info != 31 else { throw CodingFailure(.malformed, at: start) }
    return try take(head.argument)
  }

  private mutating func end() throws(CodingFailure) -> Bool {
    guard try peek() == 0xff else { return false }
    move(to: offset + 1)
    return true
  }

  private func simple(_ head: CBORHead, from start: Int) throws(CodingFailure) -> CBOR {
    switch head.info {
    case 20: return .bool(false)
    case 21: return .bool(true)
    case 22: return .null
    case 23: return .undefined
    case 24:
      // Section 3.3: a value that fits one byte is not well-formed in two.
      guard head.argument >= 32 else { throw CodingFailure(.malformed, at: start) }
      return .simple(UInt8(truncatingIfNeeded: head.argument))
    case 25...27:
      return .double(Double(bitPattern: head.floatForm.widened))
    default: return .simple(head.info)
    }
  }

  /// Refuses a container at `start` nested in `depth` others if that is too many.
  func enter(_ depth: Int, at start: Int) throws(CodingFailure) {
    guard depth < CBOR.depthLimit else { throw CodingFailure(.tooDeep, at: start) }
  }
}

extension CBORHead {
  /// The floating-point number of this head, by its width.
  package var floatForm: FloatForm {
    switch info {
    case 25: .half(UInt16(truncatingIfNeeded: argument))
    case 26: .single(UInt32(truncatingIfNeeded: argument))
    default: .double(argument)
    }
  }
}
