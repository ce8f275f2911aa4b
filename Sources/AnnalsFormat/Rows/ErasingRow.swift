package import AnnalsCoding

/// The row `erasing` of `meta`: an erasure that was begun and may not be complete.
///
/// It is written before the first commit of the erasure, and removed after everything that was worked out
/// from the events has been cleared. So a process that is killed leaves it, and the next one completes the
/// erasure.
package struct ErasingRow: Equatable, Sendable {
  /// The row's name in `meta`.
  package static let name = "erasing"

  /// The entries that are to be erased.
  package var positions: PositionRanges
  /// The id of the stream that loses its name with them, and the revision of its newest entry; `nil` for
  /// none.
  package var stream: (id: Position, head: Revision)?
  /// Who asked for it.
  package var author: String
  /// Why.
  package var reason: String

  package init(
    positions: PositionRanges, stream: (id: Position, head: Revision)?, author: String, reason: String
  ) {
    self.positions = positions
    self.stream = stream
    self.author = author
    self.reason = reason
  }

  /// Id of the stream (varint; 0 for none), the revision of its newest entry (varint; 0 without a stream),
  /// author and reason (counted), then the positions.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: stream?.id.rawValue ?? 0)
    bytes.append(varint: stream?.head.rawValue ?? 0)
    bytes.append(counted: author.utf8)
    bytes.append(counted: reason.utf8)
    positions.append(to: &bytes)
    return bytes
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let (id, head) = (try reader.number(), try reader.number())
    stream = id == 0 ? nil : (Position(id), Revision(head))
    (author, reason) = (try reader.countedText(), try reader.countedText())
    positions = try PositionRanges(&reader)
    try reader.finish()
  }

  package static func == (left: ErasingRow, right: ErasingRow) -> Bool {
    left.positions == right.positions && left.stream?.id == right.stream?.id
      && left.stream?.head == right.stream?.head && left.author == right.author && left.reason == right.reason
  }
}
