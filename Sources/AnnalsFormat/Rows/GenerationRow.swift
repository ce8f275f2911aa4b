package import AnnalsCoding

/// The value of a row of `meta` that holds the number of a generation: the row `altered`, and the row of each
/// backup with the generation that it is of.
package enum GenerationRow {
  /// The name of the row with the newest generation whose pass gave entries other tags or streams, or
  /// replaced lost ones. The same plan may fold other states from them.
  package static let altered = "altered"

  /// The number, a varint.
  package static func encoded(_ generation: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: generation)
    return bytes
  }

  /// Reads the number in a value.
  package static func generation(_ bytes: Span<UInt8>) throws(FormatFailure) -> UInt64 {
    var reader = ByteReader(bytes)
    let generation = try reader.number(in: FormatRange.generations)
    try reader.finish()
    return generation
  }
}
