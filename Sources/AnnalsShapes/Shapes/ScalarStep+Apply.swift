internal import AnnalsCoding

extension ScalarStep {
  /// Reads a value from `reader` and appends the converted one.
  func apply(_ reader: inout CBORReader, to output: inout [UInt8]) throws(CodingFailure) {
    let start = reader.offset
    let head = try reader.canonicalHead()
    switch self {
    case .integerToDouble:
      output.appendDouble(try Self.double(head, at: start))
    case .doubleToInteger(let shape):
      let number = Double(bitPattern: try Self.float(head, at: start).widened)
      // Fractions and −0.0 have no exact counterpart.
      if let whole = UInt64(exactly: number), number.sign == .plus {
        try Self.append(CBORHead(major: .unsigned, info: 27, argument: whole), shape, at: start, to: &output)
      } else if let whole = Int64(exactly: number), whole < 0 {
        try Self.append(
          CBORHead(major: .negative, info: 27, argument: UInt64(~whole)), shape, at: start, to: &output)
      } else {
        throw CodingFailure(.outOfRange, at: start, detail: "\(shape.rawValue) wanted")
      }
    case .inRange(let shape):
      guard head.major == .unsigned || head.major == .negative else {
        throw CodingFailure(.wrongType, at: start, detail: "\(shape.rawValue) wanted")
      }
      try Self.append(head, shape, at: start, to: &output)
    case .inSingle:
      let form = try Self.float(head, at: start)
      if case .double = FloatForm(form.widened) {
        throw CodingFailure(.outOfRange, at: start, detail: "float wanted")
      }
      output.appendDouble(Double(bitPattern: form.widened))
    case .textToBytes, .bytesToText:
      let isText = self == .textToBytes
      guard head.major == (isText ? .text : .bytes) else {
        throw CodingFailure(.wrongType, at: start, detail: isText ? "text wanted" : "bytes wanted")
      }
      let content = try reader.take(head.argument)
      if !isText { try reader.checkText(content) }
      output.appendHead(isText ? .bytes : .text, head.argument)
      output.append(reader.bytes.extracting(content))
    }
  }

  private static func double(_ head: CBORHead, at start: Int) throws(CodingFailure) -> Double {
    let number: Double?
    switch head.major {
    case .unsigned: number = Double(exactly: head.argument)
    case .negative: number = head.argument == .max ? -0x1p64 : Double(exactly: head.argument + 1).map { -$0 }
    default: throw CodingFailure(.wrongType, at: start, detail: "a whole number wanted")
    }
    guard let number else { throw CodingFailure(.outOfRange, at: start, detail: "double wanted") }
    return number
  }

  private static func float(_ head: CBORHead, at start: Int) throws(CodingFailure) -> FloatForm {
    guard head.major == .simple, (25...27).contains(head.info) else {
      throw CodingFailure(.wrongType, at: start, detail: "a floating-point number wanted")
    }
    return head.floatForm
  }

  private static func append(
    _ head: CBORHead, _ shape: IntegerShape, at start: Int, to output: inout [UInt8]
  ) throws(CodingFailure) {
    guard shape.holds(head) else {
      throw CodingFailure(.outOfRange, at: start, detail: "\(shape.rawValue) wanted")
    }
    output.appendHead(head.major, head.argument)
  }
}
