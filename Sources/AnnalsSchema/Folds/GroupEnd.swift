package import AnnalsCoding

/// What stands in a stage's table under the coordinates of the last record of a group.
package struct GroupEnd: Equatable, Sendable {
  /// How many records the group has, the last one among them.
  let count: Int
  /// The revision of the first one.
  package let first: Revision

  /// The key of a record: its position (8 bytes) and each number of its path (4 bytes), highest byte first, so that keys sort as records are read.
  static func key(at position: Position, _ path: [UInt32]) -> [UInt8] {
    var key: [UInt8] = []
    append(position.rawValue, path, to: &key)
    return key
  }

  /// Adds the key of a record to the end of `key`.
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

  /// The position in a key.
  static func position(of key: Span<UInt8>) throws(FormatFailure) -> UInt64 {
    guard key.count >= 8 else { throw FormatFailure(.tooShort, at: 0) }
    var position: UInt64 = 0
    for index in 0..<8 { position = position << 8 | UInt64(key[index]) }
    return position
  }

  /// The position in the key of a row of a chunk; `nil` where there is no such row.
  static func position(ofRow index: Int, in chunk: borrowing ContextChunk) throws(FormatFailure) -> UInt64? {
    guard (0..<chunk.count).contains(index) else { return nil }
    return try position(of: chunk.row(index).key)
  }

  /// Count (varint) and first revision (varint).
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(count))
    bytes.append(varint: first.rawValue)
    return bytes
  }
}

extension GroupEnd {
  /// What a row says.
  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let count = Int(try reader.number(in: FormatRange.positions))
    let first = try reader.number()
    try reader.finish()
    self.init(count: count, first: Revision(first))
  }
}
