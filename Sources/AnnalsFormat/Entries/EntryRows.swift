public import AnnalsCoding

/// The rows of `schemas` and `kinds` in the first entry of a kind, with which the log alone can rebuild both
/// tables.
@usableFromInline package struct EntryRows: Equatable, Sendable {
  /// One kind that is new with the entry.
  package struct New: Equatable, Sendable {
    /// The kind's number.
    package var kind: UInt32
    /// Its row.
    package var kindRow: KindRow
    /// The row of its ordinal.
    package var schemaRow: SchemaRow

    package init(kind: UInt32, kindRow: KindRow, schemaRow: SchemaRow) {
      self.kind = kind
      self.kindRow = kindRow
      self.schemaRow = schemaRow
    }
  }

  /// The kinds that are new with the entry.
  package var new: [New]

  /// Count, then for each: kind (varint), its row (counted), its ordinal's row (counted), both without
  /// checksum.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(varint: UInt64(new.count))
    for kind in new {
      bytes.append(varint: UInt64(kind.kind))
      bytes.append(counted: kind.kindRow.encoded())
      bytes.append(counted: kind.schemaRow.encoded())
    }
  }

  /// The rows as ``append(to:)`` lays them out.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  package init(new: [New]) {
    self.new = new
  }

  /// Reads the rows from `offset` of the entry `bytes`.
  package init(_ bytes: Span<UInt8>, at offset: Int) throws(FormatFailure) {
    var reader = ByteReader(bytes, from: offset)
    new = []
    for _ in 0..<(try reader.varint()) {
      let kind = try reader.varint(as: UInt32.self)
      let kindRow = try reader.countedRange()
      let schemaRow = try reader.countedRange()
      new.append(
        New(
          kind: kind, kindRow: try KindRow(bytes.extracting(kindRow)),
          schemaRow: try SchemaRow(bytes.extracting(schemaRow))))
    }
  }

  /// Skips rows.
  @usableFromInline
  package static func pass(_ reader: inout ByteReader) throws(FormatFailure) {
    for _ in 0..<(try reader.varint()) {
      _ = try reader.varint()
      _ = try reader.countedRange()
      _ = try reader.countedRange()
    }
  }
}
