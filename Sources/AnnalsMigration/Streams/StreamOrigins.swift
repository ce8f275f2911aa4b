internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Finds out during a pass which streams get entries of several streams, and writes that down.
///
/// Ids are unique in their stream only. In a stream that was merged from several, an id does not show whose
/// event it is.
struct StreamOrigins {
  /// The number of rows that are kept in memory; others are read again where they are needed.
  private static let limit = 16_384

  /// The rows that are known; `nil` for a stream that has none.
  private var rows: [StreamName: OriginRow?] = [:]

  /// Notes where an entry comes from that was put into the generation with this number.
  ///
  /// - Parameter hadEntries: Whether the stream that it went to had an entry in this generation before.
  mutating func note(
    _ route: RoutedEntry, _ generation: UInt64, hadEntries: Bool, _ tables: StoreTables,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let known = try row(of: route.new, tables, transaction)
    var row: OriginRow
    if let known, known.generation == generation {
      if known.isMerged || known.stream == route.old { return }
      row = known
      row.isMerged = true
    } else {
      // Without a row of this pass, what the stream has was in it before.
      if route.new == route.old { return }
      let inherited = try self.row(of: route.old, tables, transaction)?.isMerged ?? false
      row = OriginRow(
        generation: generation, stream: route.old,
        isMerged: hadEntries || inherited || known?.isMerged ?? false)
    }
    rows[route.new] = .some(row)
    try transaction.put(row.encoded(), OriginRow.name(route.new), in: tables.meta)
  }

  private mutating func row(
    of stream: StreamName, _ tables: StoreTables, _ transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> OriginRow? {
    if let known = rows[stream] { return known }
    let row = try StoreReader(transaction.view, tables).origin(of: stream)
    if rows.count >= Self.limit { rows.removeAll(keepingCapacity: true) }
    rows[stream] = .some(row)
    return row
  }
}
