package import AnnalsCoding
package import AnnalsFormat
package import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension StoreReader {
  /// All rows of `meta`.
  package func meta() throws(AnnalsError) -> StoreMeta {
    // The log's id is read first of all; until then any will do.
    var meta = StoreMeta(log: UUID())
    for name in StoreMeta.Name.allCases { try read(name, into: &meta) }
    return meta
  }

  /// The row of `meta` called `name`.
  package func read(_ name: StoreMeta.Name, into meta: inout StoreMeta) throws(AnnalsError) {
    var changed = meta
    let found: Void? = try row(name.rawValue, in: tables.meta) { (bytes) throws(FormatFailure) in
      try changed.set(name, to: bytes)
    }
    guard found != nil else { throw AnnalsError(missingMeta: name.rawValue) }
    meta = changed
  }

  /// How often a schema version has been activated.
  package func schemaEpoch() throws(AnnalsError) -> UInt64 {
    let epoch = try row(StoreMeta.Name.schemaEpoch.rawValue, in: tables.meta) {
      (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      let epoch = try reader.number()
      try reader.finish()
      return epoch
    }
    guard let epoch else { throw AnnalsError(missingMeta: StoreMeta.Name.schemaEpoch.rawValue) }
    return epoch
  }

  /// The rows of `schemas` and `kinds`.
  package func kinds() throws(AnnalsError) -> KindRegistry {
    var registry = KindRegistry()
    registry.generation = try generation()
    registry.epoch = try schemaEpoch()
    registry.adopted = try adopted()
    registry.limitsStreams = try requires(.streams)
    registry.notesTimes = try requires(.times)
    registry.hashesJournal = try requires(.journalHash)
    registry.hasAttachments = try requires(.attachments)
    registry.hasTags = try requires(.tags)
    registry.hasPersonalFields = try requires(.personal)
    try each(tables.schemas) { (key, bytes) throws(FormatFailure) in
      guard let ordinal = UInt16(exactly: key) else { throw FormatFailure(.value, at: 0) }
      registry.take(ordinal: ordinal, try SchemaRow(bytes))
    }
    try each(tables.kinds) { (key, bytes) throws(FormatFailure) in
      guard let kind = UInt32(exactly: key), (1...KindRow.maximum).contains(kind) else {
        throw FormatFailure(.value, at: 0)
      }
      try registry.take(kind: kind, try KindRow(bytes))
    }
    return registry
  }

  /// The rows of `census` by kind.
  package func census() throws(AnnalsError) -> [UInt32: CensusRow] {
    var census: [UInt32: CensusRow] = [:]
    try each(tables.census) { (key, bytes) throws(FormatFailure) in
      guard let kind = UInt32(exactly: key), kind <= KindRow.maximum else {
        throw FormatFailure(.value, at: 0)
      }
      census[kind] = try CensusRow(bytes)
    }
    return census
  }

  /// The size of a table, in O(1).
  package func statistics(of table: Table) throws(AnnalsError) -> TableStatistics {
    do { return try view.statistics(of: table) } catch { throw AnnalsError(error) }
  }

  /// The number of kinds, in O(1).
  package func kindCount() throws(AnnalsError) -> Int {
    try statistics(of: tables.kinds).entries
  }

  /// Reads each row of a table with integer keys, in order.
  func each(
    _ table: Table, _ body: (UInt64, Span<UInt8>) throws(FormatFailure) -> Void
  ) throws(AnnalsError) {
    var cursor = try cursor(in: table)
    while let row = try cursor.nextRow() {
      let key = row.key
      try Self.open(row.value, key: key, in: table) { (bytes) throws(FormatFailure) in try body(key, bytes) }
    }
  }
}

extension AnnalsError {
  /// The error for a missing row that `meta` must have.
  init(missingMeta name: String) {
    self.init(
      .damaged, "table 'meta': the row '\(name)' is missing; restore the store from a backup",
      details: Details { $0.table = "meta" })
  }
}
