package import AnnalsCoding

/// A row of a table other than `entries`: its value, then the CRC-32C of its key and value, four bytes,
/// lowest first.
package enum Row {
  /// Returns `value`, followed by the checksum of `key` and `value`.
  package static func seal(_ value: [UInt8], key: [UInt8]) -> [UInt8] {
    var sealed = value
    sealed.append(littleEndian: checksum(key: key.span, value: value.span))
    return sealed
  }

  /// Appends to a value the checksum of a key and the value.
  package static func seal(_ value: inout [UInt8], key: Span<UInt8>) {
    value.append(littleEndian: checksum(key: key, value: value.span))
  }

  /// Appends to a value the checksum of a numeric key and the value.
  package static func seal(_ value: inout [UInt8], key: UInt64) {
    value.append(littleEndian: Checksum.crc32c(value.span, seed: Checksum.seed(key)))
  }

  /// Returns the place of the value in `stored`, a row found under `key`.
  ///
  /// - Throws: `FormatFailure` if the checksum is not that of key and value.
  package static func open(_ stored: Span<UInt8>, key: Span<UInt8>) throws(FormatFailure) -> Range<Int> {
    try open(stored, seed: Checksum.crc32c(key))
  }

  /// Returns the place of the value in `stored`, a row found under a numeric key.
  ///
  /// - Throws: `FormatFailure` if the checksum is not that of key and value.
  package static func open(_ stored: Span<UInt8>, key: UInt64) throws(FormatFailure) -> Range<Int> {
    try open(stored, seed: Checksum.seed(key))
  }

  private static func open(_ stored: Span<UInt8>, seed: UInt32) throws(FormatFailure) -> Range<Int> {
    guard stored.count >= 4 else { throw FormatFailure(.tooShort, at: stored.count) }
    let value = 0..<stored.count - 4
    var reader = ByteReader(stored, from: value.upperBound)
    let checksum = Checksum.crc32c(stored.extracting(value), seed: seed)
    guard try reader.littleEndian(UInt32.self) == checksum else {
      throw FormatFailure(.checksum, at: value.upperBound)
    }
    return value
  }

  private static func checksum(key: Span<UInt8>, value: Span<UInt8>) -> UInt32 {
    Checksum.crc32c(value, seed: Checksum.crc32c(key))
  }

  /// The key of an integer-keyed table: eight bytes, the lowest first, as LMDB compares them on this machine.
  package static func key(_ number: UInt64) -> [UInt8] {
    var key: [UInt8] = []
    key.append(littleEndian: number)
    return key
  }
}
