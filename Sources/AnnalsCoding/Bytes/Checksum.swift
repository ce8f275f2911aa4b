internal import CAnnals

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4): detects accidents, not attacks.
package enum Checksum {
  /// Returns the checksum of `bytes`, continued from `seed`: that of the preceding bytes, or 0.
  package static func crc32c(_ bytes: Span<UInt8>, seed: UInt32 = 0) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { unsafe annals_crc32c(seed, $0.baseAddress, $0.count) }
  }

  /// Returns the checksum of the eight bytes of `number`, little-endian, and of all of `bytes` except those
  /// of `gap`.
  @inline(__always)
  package static func crc32c(_ number: UInt64, _ bytes: Span<UInt8>, without gap: Range<Int>) -> UInt32 {
    precondition(gap.upperBound <= bytes.count)
    return unsafe bytes.withUnsafeBufferPointer {
      unsafe annals_crc32c_around(number.littleEndian, $0.baseAddress, $0.count, gap.lowerBound, gap.count)
    }
  }

  /// Returns the checksum of the eight bytes of `number`, little-endian, as a seed for the following bytes.
  package static func seed(_ number: UInt64) -> UInt32 {
    var number = number.littleEndian
    return unsafe annals_crc32c(0, &number, 8)
  }
}
