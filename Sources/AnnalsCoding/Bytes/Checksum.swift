internal import CAnnals

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4): finds accidents, not attacks.
package enum Checksum {
  /// The checksum of `bytes`, continued from `seed`: that of the bytes before them, or 0.
  package static func crc32c(_ bytes: Span<UInt8>, seed: UInt32 = 0) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { unsafe annals_crc32c(seed, $0.baseAddress, $0.count) }
  }

  /// The checksum of the eight bytes of `number`, the lowest first, and of all of `bytes` but those of `gap`.
  @inline(__always)
  package static func crc32c(_ number: UInt64, _ bytes: Span<UInt8>, without gap: Range<Int>) -> UInt32 {
    precondition(gap.upperBound <= bytes.count)
    return unsafe bytes.withUnsafeBufferPointer {
      unsafe annals_crc32c_around(number.littleEndian, $0.baseAddress, $0.count, gap.lowerBound, gap.count)
    }
  }

  /// The checksum of the eight bytes of `number`, the lowest first, as a seed for what follows.
  package static func seed(_ number: UInt64) -> UInt32 {
    var number = number.littleEndian
    return unsafe annals_crc32c(0, &number, 8)
  }
}
