#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension [UInt8] {
  /// Appends the head of an item in the fewest bytes.
  package mutating func appendHead(_ major: CBORHead.Major, _ argument: UInt64) {
    // Nearly every head is one byte.
    if argument < 24 { return append(major.rawValue << 5 | UInt8(truncatingIfNeeded: argument)) }
    unsafe appendRoom(CBORHead.longest) { room in unsafe CBORHead.write(major, argument, to: room) }
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
    unsafe appendRoom(CBORHead.longest) { room in
      switch FloatForm(number.bitPattern) {
      case .half(let bits): unsafe CBORHead.write(0xf9, bits, to: room)
      case .single(let bits): unsafe CBORHead.write(0xfa, bits, to: room)
      case .double(let bits): unsafe CBORHead.write(0xfb, bits, to: room)
      }
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
      unsafe appendRoom(CBORHead.longest &+ utf8.count) { room in
        let head = unsafe CBORHead.write(.text, UInt64(utf8.count), to: room)
        if let start = utf8.baseAddress { unsafe memcpy(room + head, start, utf8.count) }
        return head &+ utf8.count
      }
    }
  }

  /// Appends a byte string.
  package mutating func appendByteString(_ bytes: [UInt8]) {
    appendHead(.bytes, UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  /// Appends what `write` puts into room for `most` bytes, of which it returns the number: one check of the
  /// array for all of them.
  @inline(__always)
  private mutating func appendRoom(_ most: Int, _ write: (UnsafeMutableRawPointer) -> Int) {
    append(addingCapacity: most) { (output: inout OutputSpan<UInt8>) in
      unsafe output.withUnsafeMutableBufferPointer { room, count in
        guard let start = room.baseAddress else { return }
        count = unsafe write(UnsafeMutableRawPointer(start))
      }
    }
  }
}

extension CBORHead {
  /// The most bytes that a head has.
  fileprivate static let longest = 9

  /// Writes a head in the fewest bytes.
  ///
  /// - Parameter room: Room for ``longest`` bytes.
  /// - Returns: The number of bytes.
  @inline(__always)
  fileprivate static func write(
    _ major: Major, _ argument: UInt64, to room: UnsafeMutableRawPointer
  ) -> Int {
    let high = major.rawValue << 5
    switch argument {
    case 0..<24:
      unsafe room.storeBytes(of: high | UInt8(truncatingIfNeeded: argument), as: UInt8.self)
      return 1
    case 24...0xff: return unsafe write(high | 24, UInt8(truncatingIfNeeded: argument), to: room)
    case 0x100...0xffff: return unsafe write(high | 25, UInt16(truncatingIfNeeded: argument), to: room)
    case 0x1_0000...0xffff_ffff:
      return unsafe write(high | 26, UInt32(truncatingIfNeeded: argument), to: room)
    default: return unsafe write(high | 27, argument, to: room)
    }
  }

  /// Writes a first byte and a number, most significant byte first.
  ///
  /// - Returns: The number of bytes.
  @inline(__always)
  fileprivate static func write<Number: FixedWidthInteger & BitwiseCopyable>(
    _ first: UInt8, _ number: Number, to room: UnsafeMutableRawPointer
  ) -> Int {
    unsafe room.storeBytes(of: first, as: UInt8.self)
    unsafe (room + 1).storeBytes(of: number.bigEndian, as: Number.self)
    return 1 &+ MemoryLayout<Number>.size
  }
}

extension [UInt8] {
  /// Appends a single-precision number in the shortest form that keeps its bits.
  package mutating func appendFloat(_ number: Float) {
    // Widened by its bits: a conversion would set the quiet bit of a NaN.
    appendDouble(Double(bitPattern: FloatForm.single(number.bitPattern).widened))
  }
}
