package import AnnalsCoding

/// The value of the row `passTags` of `meta`: the tags that the pass which builds a generation, or has built
/// it, has computed again.
///
/// It is a separate row, so that a generation whose tags are as they were is the same as before.
package struct PassTagsRow: Equatable, Sendable {
  /// The name of the row.
  package static let name = "passTags"
  /// The most names of tags that rules may list.
  private static let limit = 100_000

  /// The number of entries whose tags have changed.
  package var entries: UInt64
  /// The names of the tags that the pass computes again, in order.
  package var names: [String]

  package init(entries: UInt64, names: [String]) {
    self.entries = entries
    self.names = names
  }

  /// Encodes the number of entries, the number of names (varints), and the names (counted).
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: entries)
    bytes.append(varint: UInt64(names.count))
    for name in names { bytes.append(counted: name.utf8) }
    return bytes
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    entries = try reader.number()
    names = []
    for _ in 0..<(try reader.number(in: 0...UInt64(Self.limit))) { names.append(try reader.countedText()) }
    try reader.finish()
  }
}
