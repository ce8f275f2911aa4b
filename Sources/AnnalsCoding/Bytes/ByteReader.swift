/// A reader of the fields of a layout, in order, from borrowed bytes.
@usableFromInline package struct ByteReader: ~Copyable, ~Escapable {
  @usableFromInline package let bytes: Span<UInt8>
  /// The offset of the next byte.
  @usableFromInline package var offset: Int

  /// Creates a reader of `bytes` that begins at `offset`.
  @_lifetime(copy bytes)
  @inlinable package init(_ bytes: Span<UInt8>, from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// The number of remaining bytes.
  @inlinable package var remaining: Int { bytes.count - offset }

  @inlinable package mutating func byte() throws(FormatFailure) -> UInt8 {
    guard offset < bytes.count else { throw FormatFailure(.tooShort, at: offset) }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a little-endian number of a fixed width.
  @inlinable package mutating func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    _: Number.Type
  ) throws(FormatFailure) -> Number {
    let width = Number.bitWidth / 8
    guard remaining >= width else { throw FormatFailure(.tooShort, at: offset) }
    defer { offset += width }
    return Number(
      littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Reads a varint.
  @inlinable package mutating func varint() throws(FormatFailure) -> UInt64 {
    let start = offset
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard offset < bytes.count else { throw FormatFailure(.tooShort, at: start) }
      let next = bytes[offset]
      offset += 1
      // The tenth byte only has space for the 64th bit.
      if shift == 63 && next > 1 { throw FormatFailure(.varint, at: start) }
      number |= UInt64(next & 0x7f) &<< shift
      if next < 0x80 {
        if next == 0 && shift > 0 { throw FormatFailure(.varint, at: start) }
        return number
      }
      shift += 7
      if shift > 63 { throw FormatFailure(.varint, at: start) }
    }
  }

  /// Reads a varint, which must fit into `Number`.
  @inlinable package mutating func varint<Number: FixedWidthInteger>(as _: Number.Type) throws(FormatFailure)
    -> Number
  {
    let start = offset
    guard let number = Number(exactly: try varint()) else { throw FormatFailure(.value, at: start) }
    return number
  }

  /// Skips the next `count` bytes and returns their range.
  @inlinable package mutating func range(count: Int) throws(FormatFailure) -> Range<Int> {
    guard count >= 0, count <= remaining else { throw FormatFailure(.length, at: offset) }
    defer { offset += count }
    return offset..<offset + count
  }

  /// Skips bytes whose count precedes them as a varint, and returns their range.
  @inlinable package mutating func countedRange() throws(FormatFailure) -> Range<Int> {
    let start = offset
    guard let count = Int(exactly: try varint()), count <= remaining else {
      throw FormatFailure(.length, at: start)
    }
    return try range(count: count)
  }

  /// Reads a text whose byte count precedes it as a varint.
  @inlinable package mutating func countedText() throws(FormatFailure) -> String {
    let range = try countedRange()
    return try text(in: range)
  }

  /// Returns the bytes in `range` as text.
  @inlinable package func text(in range: Range<Int>) throws(FormatFailure) -> String {
    try bytes.text(in: range)
  }

  /// Returns a copy of the bytes in `range`.
  @inlinable package func copy(_ range: Range<Int>) -> [UInt8] {
    var copied: [UInt8] = []
    copied.reserveCapacity(range.count)
    copied.append(bytes.extracting(range))
    return copied
  }

  /// Throws unless every byte was read.
  @inlinable package func finish() throws(FormatFailure) {
    guard remaining == 0 else { throw FormatFailure(.length, at: offset) }
  }
}

extension Span<UInt8> {
  /// Returns the bytes in `range` as text.
  @inlinable package func text(in range: Range<Int>) throws(FormatFailure) -> String {
    do {
      return String(copying: try UTF8Span(validating: extracting(range)))
    } catch {
      throw FormatFailure(.text, at: range.lowerBound)
    }
  }
}
