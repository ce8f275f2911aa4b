/// The ranges of the numbers in rows. A number outside its range is damage, regardless of the checksum.
///
/// Sums and differences of two numbers in range fit into 64 bits, so that no row can stop the process.
@usableFromInline package enum FormatRange {
  /// The largest position, revision, count or epoch: 2^60 - 1.
  @usableFromInline package static let maximum: UInt64 = 1 << 60 - 1
  /// Positions that an entry may have.
  @usableFromInline package static let positions: ClosedRange<UInt64> = 1...maximum
  /// Counts, and positions where 0 means none.
  @usableFromInline package static let counts: ClosedRange<UInt64> = 0...maximum
  /// The numbers of a stream's newest entries that may be searched for an event id.
  @usableFromInline package static let windows: ClosedRange<UInt64> = 1...UInt64(UInt32.max)
  /// Numbers of generations.
  @usableFromInline package static let generations: ClosedRange<UInt64> = 1...999_999
  /// Versions of projections and of folds.
  @usableFromInline package static let folds: ClosedRange<UInt64> = 1...maximum
  /// The numbers of attempts for an entry.
  @usableFromInline package static let attempts: ClosedRange<UInt64> = 0...UInt64(Int32.max)
}

extension ByteReader {
  /// Reads a varint, which must be in a range.
  @inlinable package mutating func number(
    in range: ClosedRange<UInt64> = FormatRange.counts
  ) throws(FormatFailure) -> UInt64 {
    let start = offset
    let number = try varint()
    guard range.contains(number) else { throw FormatFailure(.value, at: start) }
    return number
  }

  /// Reads a byte, which is a Boolean.
  @inlinable package mutating func flag() throws(FormatFailure) -> Bool {
    let start = offset
    let byte = try byte()
    guard byte <= 1 else { throw FormatFailure(.value, at: start) }
    return byte == 1
  }
}
