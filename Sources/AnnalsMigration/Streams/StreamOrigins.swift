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

  /// The generation that the pass reads.
  private let source: Generation

  /// The rows that are known; `nil` for a stream that has none.
  private var rows: [StreamName: OriginRow?] = [:]

  init(source: Generation) {
    self.source = source
  }

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
      if known.isOfSeveral(in: route.new) || known.stream == route.old { return }
      row = OriginRow(generation: generation, ofSeveralIn: route.new)
    } else {
      // Without a row of this pass, what the stream has was in it before.
      if route.new == route.old { return }
      row =
        hadEntries
        ? OriginRow(generation: generation, ofSeveralIn: route.new)
        : OriginRow(
          generation: generation, stream: route.old,
          isMerged: try wasMerged(route.old, generation, tables, transaction))
    }
    rows[route.new] = .some(row)
    try transaction.put(row.encoded(), OriginRow.name(route.new), in: tables.meta)
  }

  /// Whether a stream has entries of several streams since an earlier pass.
  private mutating func wasMerged(
    _ stream: StreamName, _ generation: UInt64, _ tables: StoreTables,
    _ transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> Bool {
    let row = try row(of: stream, tables, transaction)
    guard let row, row.generation == generation else { return row?.isMerged ?? false }
    // This pass has given the name to another stream.
    return try source.read { (reader) throws(AnnalsError) in
      guard try reader.origin(of: stream)?.isMerged == true else { return false }
      return try source.hasEntriesOfPasses(stream, reader)
    }
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

extension Generation {
  /// Whether a stream may have entries that a pass has put there: a name that has begun since the last such
  /// pass has none.
  func hasEntriesOfPasses(_ stream: StreamName, _ reader: StoreReader) throws(AnnalsError) -> Bool {
    guard let head = try head(of: stream, reader) else { return false }
    return try head.id <= reader.regrouped() ?? Position(.max)
  }
}
