package import AnnalsCoding

/// The value of the row `newest` of `meta`: the highest number that a generation of this log has ever had.
/// Without the row it is the generation's own.
///
/// A number is never used twice, even after its generation is removed: a remaining reference must not lead to
/// another generation.
package struct NewestRow: Equatable, Sendable {
  /// The name of the row.
  package static let name = "newest"

  /// The number, 1 to 999,999.
  package var generation: UInt64

  /// The number as a varint.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: generation)
    return bytes
  }

  package init(generation: UInt64) {
    self.generation = generation
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    generation = try reader.varint()
    guard (1...CurrentFile.maximumGeneration).contains(generation) else { throw FormatFailure(.value, at: 0) }
    try reader.finish()
  }
}
