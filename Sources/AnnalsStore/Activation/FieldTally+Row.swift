package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

// The row that an interrupted pass keeps of the tally.
extension FieldTally {
  /// The maximum number of fields of each sort that a row has.
  private static let rowLimit = 1_000

  /// Encodes the number of fields (varint). For each it encodes the type (counted), version, path (a varint
  /// and counted names), for a declared field the version that removed it, then count and first position
  /// (varints).
  ///
  /// Of more than a thousand fields, those with the most events are kept.
  ///
  /// - Parameter areDeclared: Whether the fields that the plan declares are encoded, or the others.
  package func encoded(areDeclared: Bool) -> [UInt8] {
    let kept = fields.filter { ($0.removedIn != nil) == areDeclared }.sorted { $0.count > $1.count }
      .prefix(Self.rowLimit)
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(kept.count))
    for field in kept {
      bytes.append(counted: field.type.utf8)
      bytes.append(field.version)
      bytes.append(varint: UInt64(field.path.count))
      for name in field.path { bytes.append(counted: name.utf8) }
      if areDeclared { bytes.append(field.removedIn) }
      bytes.append(varint: field.count)
      bytes.append(varint: field.firstPosition.rawValue)
    }
    return bytes
  }

  /// Adds the fields that ``encoded(areDeclared:)`` has written.
  package mutating func add(_ reader: inout ByteReader, areDeclared: Bool) throws(FormatFailure) {
    for _ in 0..<(try reader.number(in: 0...UInt64(Self.rowLimit))) {
      let type = ExactText(try reader.countedText())
      let version = try reader.schemaVersion()
      var path: [ExactText] = []
      for _ in 0..<(try reader.varint()) { path.append(ExactText(try reader.countedText())) }
      let start = reader.offset
      let removedIn = areDeclared ? try reader.schemaVersion() : nil
      guard (removedIn != nil) == areDeclared else { throw FormatFailure(.value, at: start) }
      let field = Field(type: type, version: version, path: path, removedIn: removedIn)
      put(field, count: try reader.number(), first: Position(try reader.number()))
    }
  }
}
