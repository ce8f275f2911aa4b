public import AnnalsCoding

extension FieldReader {
  /// Reads the number in the head of the next item, which must be of type `major`; `wanted` is the expected
  /// type as text.
  @inline(__always)
  mutating func head(
    _ major: CBORHead.Major, _ wanted: @autoclosure () -> String
  ) throws(CodingFailure) -> UInt64 {
    let offset = reader.offset
    if offset < reader.bytes.count {
      // Nearly every head is one byte: then the byte without the type is the number itself.
      let number = reader.bytes[offset] ^ major.rawValue << 5
      if number < 24 {
        reader.offset = offset &+ 1
        return UInt64(number)
      }
    }
    return try longHead(major, wanted)
  }

  @inline(never)
  private mutating func longHead(
    _ major: CBORHead.Major, _ wanted: () -> String
  ) throws(CodingFailure) -> UInt64 {
    let start = reader.offset
    let head = try reader.canonicalHead()
    guard head.major == major else {
      throw CodingFailure(.wrongType, at: start, detail: "\(wanted()) wanted")
    }
    return head.argument
  }

  /// Reads a Boolean.
  @inlinable
  @inline(__always)
  mutating func bool() throws(CodingFailure) -> Bool {
    let byte = try reader.peek()
    guard byte & 0xfe == 0xf4 else {
      throw CodingFailure(.wrongType, at: reader.offset, detail: "Bool wanted")
    }
    reader.offset &+= 1
    return byte == 0xf5
  }

  /// Returns whether the next item is null, and consumes it if so.
  @inlinable
  @inline(__always)
  mutating func isNull() throws(CodingFailure) -> Bool {
    guard try reader.peek() == 0xf6 else { return false }
    reader.offset &+= 1
    return true
  }

  /// Reads a whole number.
  @inlinable
  @inline(__always)
  mutating func integer<Number: FixedWidthInteger>() throws(CodingFailure) -> Number {
    let offset = reader.offset
    if offset < reader.bytes.count, reader.bytes[offset] < 24 {
      reader.offset = offset &+ 1
      return Number(truncatingIfNeeded: reader.bytes[offset])
    }
    return try longInteger()
  }

  @inlinable
  @inline(never)
  mutating func longInteger<Number: FixedWidthInteger>() throws(CodingFailure) -> Number {
    let start = reader.offset
    let head = try reader.canonicalHead()
    let number: Number?
    switch head.major {
    case .unsigned: number = Number(exactly: head.argument)
    case .negative: number = Number.isSigned ? Number(exactly: head.argument).map { ~$0 } : nil
    default: throw CodingFailure(.wrongType, at: start, detail: "\(Number.self) wanted")
    }
    guard let number else { throw CodingFailure(.outOfRange, at: start, detail: "\(Number.self) wanted") }
    return number
  }

  /// Reads a double-precision number.
  @inlinable
  @inline(__always)
  mutating func double() throws(CodingFailure) -> Double {
    let offset = reader.offset
    if reader.remaining >= 9, reader.bytes[offset] == 0xfb {
      let bits = reader.bytes.bigEndian(at: offset &+ 1)
      // If any of these bits is set, no shorter form represents the number, so this one is canonical.
      if bits & 0x1fff_ffff != 0 {
        reader.offset = offset &+ 9
        return Double(bitPattern: bits)
      }
    }
    return try shortDouble()
  }

  /// Reads a double-precision number that may have a shorter form.
  @usableFromInline
  @inline(never)
  mutating func shortDouble() throws(CodingFailure) -> Double {
    let offset = reader.offset
    if reader.remaining >= 3, reader.bytes[offset] == 0xf9 {
      // No form is shorter than this one, so it is canonical.
      let bits = UInt16(reader.bytes[offset &+ 1]) << 8 | UInt16(reader.bytes[offset &+ 2])
      reader.offset = offset &+ 3
      return Double(bitPattern: FloatForm.half(bits).widened)
    }
    return Double(bitPattern: try floatForm("Double").widened)
  }

  /// Reads a single-precision number.
  mutating func float() throws(CodingFailure) -> Float {
    let start = reader.offset
    guard let bits = try floatForm("Float").singleBits else {
      throw CodingFailure(.outOfRange, at: start, detail: "Float wanted")
    }
    return Float(bitPattern: bits)
  }

  /// Reads the next item, a floating-point number in its shortest form.
  @inline(never)
  private mutating func floatForm(_ wanted: StaticString) throws(CodingFailure) -> FloatForm {
    let start = reader.offset
    let head = try reader.head()
    guard head.major == .simple, (25...27).contains(head.info) else {
      throw CodingFailure(.wrongType, at: start, detail: "\(wanted) wanted")
    }
    let form = head.floatForm
    guard FloatForm(form.widened) == form else { throw CodingFailure(.notCanonical, at: start) }
    return form
  }

  /// Reads a text.
  @usableFromInline
  mutating func text() throws(CodingFailure) -> String {
    let length = try head(.text, "String")
    return try reader.text(try reader.take(length))
  }

  /// Reads a byte string and returns the range of its bytes.
  mutating func byteString(_ wanted: StaticString) throws(CodingFailure) -> Range<Int> {
    let length = try head(.bytes, "\(wanted)")
    return try reader.take(length)
  }

  /// Reads a byte string.
  @usableFromInline
  mutating func bytes() throws(CodingFailure) -> [UInt8] {
    reader.copy(try byteString("a byte string"))
  }
}
