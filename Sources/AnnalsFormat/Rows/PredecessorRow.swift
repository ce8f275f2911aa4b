package import AnnalsCoding

/// The value of the row `predecessor` of `meta`, in a generation that a pass has built.
package struct PredecessorRow: Equatable, Sendable {
  /// The name of the row.
  package static let name = "predecessor"

  /// The number of the generation that was copied.
  package var generation: UInt64
  /// The position of the newest entry at the switch; 0 if there was none. The predecessor never had the
  /// entries after it.
  package var last: UInt64

  /// Generation, position; both varints.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: generation)
    bytes.append(varint: last)
    return bytes
  }

  package init(generation: UInt64, last: UInt64) {
    self.generation = generation
    self.last = last
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let start = reader.offset
    generation = try reader.varint()
    guard (1...CurrentFile.maximumGeneration).contains(generation) else {
      throw FormatFailure(.value, at: start)
    }
    last = try reader.number()
    try reader.finish()
  }
}
