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

  /// The rows for the newest removal that a log records: `recorded`, and `recorded-time` with microseconds
  /// since 1970 (8 bytes). Keys without the time have an empty one, so that no earlier one remains.
  package static func recorded(_ drop: KeyDrop) -> [(name: String, value: [UInt8])] {
    var time: [UInt8] = []
    if let known = drop.time { time.append(littleEndian: known.microseconds) }
    return [(recordedName, KeyDropsRow(drops: [drop]).encoded()), (recordedTimeName, time)]
  }

  /// Returns the time in the row `recorded-time`; `nil` for an empty one.
  package static func time(_ bytes: Span<UInt8>) throws(FormatFailure) -> Timestamp? {
    if bytes.count == 0 { return nil }
    var reader = ByteReader(bytes)
    let time = Timestamp(microseconds: try reader.littleEndian(Int64.self))
    try reader.finish()
    return time
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
