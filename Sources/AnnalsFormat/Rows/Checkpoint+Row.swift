package import AnnalsCoding

extension Checkpoint {
  /// The log's id (16 bytes), then incarnation and position as varints, then the mark (4 bytes, the lowest
  /// first).
  package func encoded() -> [UInt8] {
    var bytes = log.bytes
    bytes.append(varint: incarnation)
    bytes.append(varint: position.rawValue)
    bytes.append(littleEndian: mark)
    return bytes
  }

  package init(_ reader: inout ByteReader) throws(FormatFailure) {
    self.init(
      log: try reader.uuid(), incarnation: try reader.number(), position: Position(try reader.number()),
      mark: try reader.littleEndian(UInt32.self))
  }
}
