/// Unsigned numbers in groups of seven bits, lowest group first; all bytes but the last have the top bit set.
///
/// The encoding is LEB128 (DWARF 5, section 7.6), always in its shortest form, so that equal numbers are
/// equal bytes.
extension [UInt8] {
  /// Appends `number` as a varint.
  @inlinable package mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends the bytes of `number`, little-endian.
  @inlinable package mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// Appends the number of `bytes` as a varint and then the bytes.
  @inlinable package mutating func append(counted bytes: some Collection<UInt8>) {
    append(varint: UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  /// Appends the number of `bytes` as a varint and then the bytes.
  @inlinable package mutating func append(counted bytes: Span<UInt8>) {
    append(varint: UInt64(bytes.count))
    append(bytes)
  }
}
