extension [UInt8] {
  /// Appends the head of an item in the fewest bytes.
  package mutating func appendHead(_ major: CBORHead.Major, _ argument: UInt64) {
    let high = major.rawValue << 5
    switch argument {
    case 0..<24:
      append(high | UInt8(truncatingIfNeeded: argument))
    case 24...0xff:
      append(high | 24)
      append(UInt8(truncatingIfNeeded: argument))
    case 0x100...0xffff:
      append(high | 25)
      appendBigEndian(UInt16(truncatingIfNeeded: argument))
    case 0x1_0000...0xffff_ffff:
      append(high | 26)
      appendBigEndian(UInt32(truncatingIfNeeded: argument))
    default:
      append(high | 27)
      appendBigEndian(argument)
    }
  }

  /// Appends a whole number.
  mutating func appendInteger(_ number: Int64) {
    if number >= 0 {
      appendHead(.unsigned, UInt64(number))
    } else {
      appendHead(.negative, UInt64(~number))
    }
  }

  /// Appends a floating-point number in the shortest form that keeps its bits.
  package mutating func appendDouble(_ number: Double) {
    switch FloatForm(number.bitPattern) {
    case .half(let bits):
      append(0xf9)
      appendBigEndian(bits)
    case .single(let bits):
      append(0xfa)
      appendBigEndian(bits)
    case .double(let bits):
      append(0xfb)
      appendBigEndian(bits)
    }
  }

  /// Appends a Boolean.
  package mutating func appendBool(_ flag: Bool) {
    append(flag ? 0xf5 : 0xf4)
  }

  /// Appends null.
  package mutating func appendNull() {
    append(0xf6)
  }

  /// Appends a text.
  package mutating func appendText(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      appendHead(.text, UInt64(utf8.count))
      unsafe append(contentsOf: utf8)
    }
  }

  /// Appends a byte string.
  package mutating func appendByteString(_ bytes: [UInt8]) {
    appendHead(.bytes, UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  private mutating func appendBigEndian(_ number: some FixedWidthInteger & BitwiseCopyable) {
    let number = number.bigEndian
    unsafe Swift.withUnsafeBytes(of: number) { unsafe append(contentsOf: $0) }
  }
}

extension [UInt8] {
  /// Appends a single-precision number in the shortest form that keeps its bits.
  package mutating func appendFloat(_ number: Float) {
    // Widened by its bits: a conversion would set the quiet bit of a NaN.
    appendDouble(Double(bitPattern: FloatForm.single(number.bitPattern).widened))
  }
}
