/// One item of a checked payload, and the path to it.
package struct DecodingItem {
  /// The whole payload.
  package let bytes: [UInt8]
  /// The offset of the item.
  package let offset: Int
  /// The path of the container of the item; `nil` at the top.
  package let parent: CodingPath?
  /// The last step of the path; `nil` at the top.
  package let step: CodingPath.Step?

  package init(bytes: [UInt8], offset: Int, parent: CodingPath? = nil, step: CodingPath.Step? = nil) {
    self.bytes = bytes
    self.offset = offset
    self.parent = parent
    self.step = step
  }

  /// The path of the item. It is an object that only failures and nested containers need.
  var path: CodingPath? {
    step.map { CodingPath($0, in: parent) } ?? parent
  }

  /// Returns a failure at this item.
  func failure(_ reason: CodingFailure.Reason, _ detail: String? = nil) -> CodingFailure {
    CodingFailure(reason, at: offset, path: CodingPath.keys(path), detail: detail)
  }

  /// Returns the item's head, and the offset after it.
  private func head() throws(CodingFailure) -> (head: CBORHead, content: Int) {
    var reader = CBORReader(bytes.span, at: offset)
    let head = try reader.head()
    return (head, reader.offset)
  }

  /// Whether the item is null.
  var isNull: Bool { bytes[offset] == 0xf6 }

  /// Returns the item as a Boolean.
  func bool() throws(CodingFailure) -> Bool {
    switch bytes[offset] {
    case 0xf4: return false
    case 0xf5: return true
    default: throw failure(.wrongType, "Bool wanted")
    }
  }

  /// Returns the item as a whole number of the given type.
  func integer<T: FixedWidthInteger>(_ type: T.Type) throws(CodingFailure) -> T {
    let head = try head().head
    let number: T?
    switch head.major {
    case .unsigned: number = T(exactly: head.argument)
    case .negative: number = T.isSigned ? T(exactly: head.argument).map { ~$0 } : nil
    default: throw failure(.wrongType, "\(type) wanted")
    }
    guard let number else { throw failure(.outOfRange, "\(type) wanted") }
    return number
  }

  /// Returns the item as a floating-point number; a whole number only if no rounding is needed.
  package func double() throws(CodingFailure) -> Double {
    let head = try head().head
    let number: Double?
    switch head.major {
    case .simple where (25...27).contains(head.info):
      return Double(bitPattern: head.floatForm.widened)
    case .unsigned: number = Double(exactly: head.argument)
    case .negative:
      let (magnitude, overflow) = head.argument.addingReportingOverflow(1)
      number = overflow ? -0x1p64 : Double(exactly: magnitude).map { -$0 }
    default: throw failure(.wrongType, "Double wanted")
    }
    guard let number else { throw failure(.outOfRange, "Double wanted") }
    return number
  }

  /// Returns the item as a single-precision number, if no rounding is needed.
  package func float() throws(CodingFailure) -> Float {
    guard let bits = FloatForm(try double().bitPattern).singleBits else {
      throw failure(.outOfRange, "Float wanted")
    }
    return Float(bitPattern: bits)
  }

  /// Returns the item as text.
  func text() throws(CodingFailure) -> String {
    var reader = CBORReader(bytes.span, at: offset)
    let head = try reader.head()
    guard head.major == .text else { throw failure(.wrongType, "String wanted") }
    return try reader.text(try reader.take(head.argument))
  }

  /// Returns the item as a byte string; `nil` if it is not one.
  func byteString() throws(CodingFailure) -> [UInt8]? {
    var reader = CBORReader(bytes.span, at: offset)
    let head = try reader.head()
    guard head.major == .bytes else { return nil }
    return reader.copy(try reader.take(head.argument))
  }

  /// Whether the item is a text.
  var isText: Bool { CBORHead.Major(ofFirst: bytes[offset]) == .text }

  /// Returns the elements of the array in the item.
  func elements() throws(CodingFailure) -> [DecodingItem] {
    var reader = CBORReader(bytes.span, at: offset)
    let head = try reader.head()
    guard head.major == .array else { throw failure(.wrongType, "an array wanted") }
    let path = path
    var elements: [DecodingItem] = []
    for index in 0..<(try reader.count(head.argument)) {
      elements.append(DecodingItem(bytes: bytes, offset: reader.offset, parent: path, step: .index(index)))
      try reader.skip()
    }
    return elements
  }

  /// Returns the pairs of the map in the item.
  func pairs() throws(CodingFailure) -> [(key: String, value: DecodingItem)] {
    var reader = CBORReader(bytes.span, at: offset)
    let head = try reader.head()
    guard head.major == .map else { throw failure(.wrongType, "a map wanted") }
    let path = path
    var pairs: [(key: String, value: DecodingItem)] = []
    for _ in 0..<(try reader.count(head.argument, width: 2)) {
      let keyHead = try reader.head()
      let key = try reader.text(try reader.take(keyHead.argument))
      pairs.append((key, DecodingItem(bytes: bytes, offset: reader.offset, parent: path, step: .key(key))))
      try reader.skip()
    }
    return pairs
  }
}

extension CBORReader {
  /// Skips one item of a checked payload, including all nested items.
  mutating func skip() throws(CodingFailure) {
    var left = 1
    while left > 0 {
      left &-= 1
      let head = try head()
      switch head.major {
      case .bytes, .text: _ = try take(head.argument)
      case .array: left &+= try count(head.argument)
      case .map: left &+= 2 &* (try count(head.argument, width: 2))
      default: break
      }
    }
  }
}
