package import AnnalsCoding
package import AnnalsShapes

/// The row `drops` in the `meta` of the file of keys: the removals of keys that the log may not record yet,
/// oldest first.
///
/// A removal and its row are written in one step, and the row goes once the log records it.
///
/// The row `recorded` has the same form, and one removal: the newest one that a log records, with the
/// position of its record. The row `recorded-time` has the time of that record.
package struct KeyDropsRow: Equatable {
  package static let name = "drops"
  package static let recordedName = "recorded"
  package static let recordedTimeName = "recorded-time"

  package var drops: [KeyDrop]

  package init(drops: [KeyDrop]) {
    self.drops = drops
  }

  /// The rows for the newest removal that a log records: `recorded`, and `recorded-time` with the position of
  /// the record again (varint) and its time in microseconds since 1970 (8 bytes). Earlier libraries change
  /// only the first of them.
  package static func recorded(_ drop: KeyDrop) -> [(name: String, value: [UInt8])] {
    var rows = [(recordedName, KeyDropsRow(drops: [drop]).encoded())]
    if let time = drop.time {
      var bytes: [UInt8] = []
      bytes.append(varint: drop.position.rawValue)
      bytes.append(littleEndian: time.microseconds)
      rows.append((recordedTimeName, bytes))
    }
    return rows
  }

  /// Returns the time in the row `recorded-time`; `nil` if it is that of another record.
  package static func time(
    _ bytes: Span<UInt8>, of drop: KeyDrop
  ) throws(FormatFailure) -> Timestamp? {
    var reader = ByteReader(bytes)
    let position = Position(try reader.number())
    let time = Timestamp(microseconds: try reader.littleEndian(Int64.self))
    try reader.finish()
    return position == drop.position ? time : nil
  }

  /// Count (varint), then for each author and reason (counted), and the newest position before (varint).
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(drops.count))
    for drop in drops {
      bytes.append(counted: drop.author.utf8)
      bytes.append(counted: drop.reason.utf8)
      bytes.append(varint: drop.position.rawValue)
    }
    return bytes
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let count = try reader.varint()
    guard count <= UInt64(bytes.count) else { throw FormatFailure(.value, at: 0) }
    drops = []
    for _ in 0..<count {
      let (author, reason) = (try reader.countedText(), try reader.countedText())
      drops.append(KeyDrop(author: author, reason: reason, after: Position(try reader.number())))
    }
    try reader.finish()
  }
}
