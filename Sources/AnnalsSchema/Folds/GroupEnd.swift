package import AnnalsCoding

/// The value in a stage's table for the coordinates of the last record of a group.
package struct GroupEnd: Equatable, Sendable {
  /// The number of records of the group, including the last one.
  let count: Int
  /// The revision of the first record.
  package let first: Revision

  /// Returns the key of a record: its position (8 bytes) and each number of its path (4 bytes), most
  /// significant byte first, so that keys sort in the order of reads.
  static func key(at position: Position, _ path: [UInt32]) -> [UInt8] {
    var key: [UInt8] = []
    append(position.rawValue, path, to: &key)
    return key
  }

  /// Appends the key of a record to `key`.
  static func append(_ position: UInt64, _ path: [UInt32], to key: inout [UInt8]) {
    for shift in stride(from: 56, through: 0, by: -8) {
      key.append(UInt8(truncatingIfNeeded: position >> UInt64(shift)))
    }
    for number in path {
      for shift in stride(from: 24, through: 0, by: -8) {
        key.append(UInt8(truncatingIfNeeded: number >> UInt32(shift)))
      }
    }
  }

  /// Returns the position in a key.
  static func position(of key: Span<UInt8>) throws(FormatFailure) -> UInt64 {
    guard key.count >= 8 else { throw FormatFailure(.tooShort, at: 0) }
    var position: UInt64 = 0
    for index in 0..<8 { position = position << 8 | UInt64(key[index]) }
    return position
  }

  /// Returns the position in the key of a row of a chunk; `nil` if there is no such row.
  static func position(ofRow index: Int, in chunk: borrowing ContextChunk) throws(FormatFailure) -> UInt64? {
    guard (0..<chunk.count).contains(index) else { return nil }
    return try position(of: chunk.row(index).key)
  }

  /// Encodes count (varint) and first revision (varint).
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(count))
    bytes.append(varint: first.rawValue)
    return bytes
  }
}

extension GroupEnd {
  /// Decodes the value of a row.
  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let count = Int(try reader.number(in: FormatRange.positions))
    let first = try reader.number()
    try reader.finish()
    self.init(count: count, first: Revision(first))
  }
}
