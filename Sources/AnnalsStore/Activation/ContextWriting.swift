internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Stores the results of an activation.
///
/// Chunks of tables are stored ahead, in transactions of bounded size, where no reader looks for them. The
/// activation's own transaction puts the rows that lead to them.
struct ContextWriting {
  /// The size in bytes of the chunks at which a transaction ends.
  private static let batchBytes = 16 << 20

  private let log: EventLog
  /// The rows of `meta` that the activation puts.
  private(set) var rows: [(name: String, value: [UInt8])] = []
  /// Whether a table of groups has a row for an entry that could not be read.
  private(set) var hasUnread = false
  /// The tables that have been stored.
  private var tables: [ContextTableRow] = []

  init(_ log: EventLog) {
    self.log = log
  }

  /// Adds the context of the stage to `version`.
  mutating func add(_ context: PreparedContext, _ version: SchemaVersion) throws(AnnalsError) {
    switch context {
    case .value(let bytes): rows.append((StoreReader.contextName(version), bytes))
    case .rows(let rows): try add(rows, .keyed, version)
    }
  }

  /// Adds the table of groups of the stage to `version`.
  mutating func add(_ groups: GroupRows, _ version: SchemaVersion) throws(AnnalsError) {
    try add(groups.rows, .groups, version)
    if groups.hasUnread { hasUnread = true }
  }

  /// Adds a table of the stage to `version`, and stores its chunks.
  mutating func add(
    _ content: [ContextTable.Row], _ use: ContextTableRow.Use, _ version: SchemaVersion
  ) throws(AnnalsError) {
    let chunks = ContextChunk.chunks(of: content)
    let row = ContextTableRow(id: UUID.random(), firstKeys: chunks.map(\.first))
    var next = 0
    while next < chunks.count {
      var (end, size) = (next, 0)
      while end < chunks.count, size < Self.batchBytes {
        size += chunks[end].bytes.count
        end += 1
      }
      let batch = next..<end
      _ = try ActivationWrite(log).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
        for index in batch { try transaction.put(chunks[index].bytes, row.chunkName(index), in: tables.meta) }
        return true
      }
      next = end
    }
    tables.append(row)
    rows.append((ContextTableRow.name(use, of: version), row.encoded()))
  }

  /// Whether no other process has put these rows meanwhile, and all chunks are in the generation of `reader`:
  /// a pass may have switched to one without them.
  func isStillDue(_ reader: StoreReader) throws(AnnalsError) -> Bool {
    for (name, _) in rows {
      let stored: Void? = try reader.row(name, in: reader.tables.meta) { _ in }
      if stored != nil { return false }
    }
    if tables.isEmpty { return true }
    let names = Set(try reader.chunkNames())
    return tables.allSatisfy { table in
      table.firstKeys.indices.allSatisfy { names.contains(table.chunkName($0)) }
    }
  }

  /// Removes chunks that an interrupted activation has left.
  func removeUnused() throws(AnnalsError) {
    let isAny = try log.read { (snapshot) throws(AnnalsError) in try !snapshot.reader.chunkNames().isEmpty }
    guard isAny else { return }
    _ = try ActivationWrite(log).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
      let unused = try Self.unused(transaction, tables)
      for name in unused { try transaction.remove(name, in: tables.meta) }
      return !unused.isEmpty
    }
  }

  private static func unused(
    _ transaction: borrowing WriteTransaction, _ tables: StoreTables
  ) throws(AnnalsError) -> [String] {
    let reader = StoreReader(transaction.view, tables)
    let used = try reader.contextTables().map { ContextTableRow.chunkPrefix + $0.id.uuidString }
    return try reader.chunkNames().filter { name in !used.contains { name.utf8.starts(with: $0.utf8) } }
  }
}
