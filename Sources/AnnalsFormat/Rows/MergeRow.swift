package import AnnalsCoding

/// The value of the row `merge` of `meta`, which exists while heads are merged into their rows.
package struct MergeRow: Equatable, Sendable {
  /// The name of the row.
  package static let name = "merge"

  /// The position up to which the rows will be complete when the merge is done.
  package var position: UInt64
  /// The id from which on heads are still to be written; 0 while rows of `streams` are.
  package var next: UInt64

  /// Position, next; both varints.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: position)
    bytes.append(varint: next)
    return bytes
  }

  package init(position: UInt64, next: UInt64) {
    self.position = position
    self.next = next
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    position = try reader.number()
    next = try reader.number()
    try reader.finish()
  }
}
