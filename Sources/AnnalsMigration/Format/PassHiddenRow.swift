internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

/// The value of the row `passHidden` of `meta`: the mark of the entries that were hidden when a pass that
/// moves streams began.
///
/// Such a pass hides entries as it copies them, so its copy is useless after a truncation. It is a separate
/// row, so that a library which does not know it can continue the pass.
package enum PassHiddenRow {
  /// The name of the row.
  package static let name = "passHidden"

  /// The mark, 32 bytes.
  static func mark(_ bytes: Span<UInt8>) throws(FormatFailure) -> [UInt8] {
    var reader = ByteReader(bytes)
    let mark = try reader.range(count: 32)
    try reader.finish()
    return reader.copy(mark)
  }
}

extension StoreReader {
  /// The mark of the entries that were hidden when the pass that builds this generation began; `nil` if it
  /// moves no streams, or an older library began it.
  func passHidden() throws(AnnalsError) -> [UInt8]? {
    try row(PassHiddenRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PassHiddenRow.mark(bytes)
    }
  }
}
