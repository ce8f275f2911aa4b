internal import AnnalsCoding

extension FieldWriter {
  /// Writes a Boolean.
  mutating func bool(_ value: Bool) {
    bytes.appendBool(value)
  }

  /// Writes null.
  @usableFromInline
  mutating func null() {
    bytes.appendNull()
  }

  /// Writes a whole number.
  @inline(__always)
  mutating func integer(_ number: some FixedWidthInteger) {
    if number < 0 {
      bytes.appendHead(.negative, UInt64(truncatingIfNeeded: ~number))
    } else {
      bytes.appendHead(.unsigned, UInt64(truncatingIfNeeded: number))
    }
  }

  /// Writes a double-precision number.
  mutating func double(_ number: Double) {
    bytes.appendDouble(number)
  }

  /// Writes a single-precision number.
  mutating func float(_ number: Float) {
    bytes.appendFloat(number)
  }

  /// Writes a text.
  mutating func text(_ text: String) {
    bytes.appendText(text)
  }

  /// Writes a byte string.
  @usableFromInline
  mutating func bytes(_ string: Span<UInt8>) {
    bytes.appendHead(.bytes, UInt64(string.count))
    bytes.append(string)
  }
}
