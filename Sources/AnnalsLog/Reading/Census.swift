public import AnnalsCoding
internal import AnnalsFormat

/// The events of one record type in one schema version of a log.
public struct CensusLine: Hashable, Sendable {
  /// The name of the record type.
  public let type: String
  /// The schema version; `nil` for events stored without one.
  public let version: SchemaVersion?
  /// Whether payloads are stored by their shape, and not by the names of fields.
  public let isByShape: Bool
  /// The number of delivered events. An entry is one event, a split entry as many as it has parts.
  public let count: UInt64
  /// The size of their payloads in bytes.
  public let bytes: UInt64
  /// The number of entries that are stubs.
  public let stubs: UInt64
  /// The number of entries that a migration pass has quarantined.
  public let quarantined: UInt64
  /// The position of the first entry.
  public let first: Position
  /// The oldest schema version whose programs read the events. If the store does not record it, it is `nil`,
  /// and only programs of ``version`` and of later versions read them.
  public let oldestReader: SchemaVersion?
}

extension LogSnapshot {
  /// Returns the events of each record type in each schema version, in the order in which they were first
  /// stored.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  /// - Complexity: O(record types and versions), regardless of the length of the log.
  public func census() throws(AnnalsError) -> [CensusLine] {
    let rows = try reader.census()
    return kinds.kinds.values.sorted { $0.number < $1.number }.map { kind in
      let row = rows[kind.number, default: CensusRow()]
      return CensusLine(
        type: kind.row.name, version: kind.version, isByShape: kind.shape != nil, count: row.parts,
        bytes: row.bytes, stubs: row.stubs,
        quarantined: row.quarantined, first: kind.row.first, oldestReader: kind.row.oldestReader)
    }
  }
}
