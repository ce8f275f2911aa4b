internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Writes down where entries of streams went, once for each stream and place.
struct MovedNotes {
  /// The number of rows that are kept in memory; what is beyond them is read again where it is needed.
  private static let limit = 16_384

  private var rows: [StreamName: MovedRow] = [:]

  /// Notes in the transaction where an entry goes, unless that is known.
  mutating func note(
    _ route: RoutedEntry, _ tables: StoreTables, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    var row: MovedRow
    if let known = rows[route.old] {
      row = known
    } else {
      row = try StoreReader(transaction.view, tables).moved(route.old) ?? MovedRow()
      if rows.count >= Self.limit { rows.removeAll(keepingCapacity: true) }
      rows[route.old] = row
    }
    guard row.add(route.new) else { return }
    rows[route.old] = row
    try transaction.put(row.encoded(), MovedRow.name(route.old), in: tables.meta)
  }
}

/// Takes over the rows that say where streams went, and came from, in passes before this one.
struct MovedCopy {
  /// Rows a commit at most.
  private static let batch = 10_000

  let source: Generation
  let target: PassTarget
  /// The erased names of streams, and the placeholders that take their places.
  let renamed: [StreamName: StreamName]
  /// Whether the pass moves entries to other streams.
  let isMoving: Bool

  /// Copies the rows that the new generation does not have yet.
  func run() throws(AnnalsError) {
    for prefix in [MovedRow.prefix, OriginRow.prefix] {
      var last: [UInt8]?
      repeat { last = try copy(prefix, after: last) } while last != nil
    }
  }

  /// Copies the next rows, and commits them.
  ///
  /// - Returns: The key of the last one; `nil` if none are left.
  private func copy(_ prefix: String, after last: [UInt8]?) throws(AnnalsError) -> [UInt8]? {
    var rows: [(name: String, value: [UInt8])] = []
    var gone: Set<String> = []
    try source.read { (reader) throws(AnnalsError) in
      try reader.eachFact(prefix, after: last) { (name, value) in
        rows.append((name, value))
        return rows.count < Self.batch
      }
      guard isMoving, prefix == OriginRow.prefix else { return }
      // From this pass on the row would count for entries that came since.
      for (name, _) in rows {
        let stream = StreamName(String(name.dropFirst(prefix.count)))
        if try !source.hasEntriesOfPasses(stream, reader) { gone.insert(name) }
      }
    }
    guard let end = rows.last else { return nil }
    let tables = target.tables
    try target.write(.full) { (transaction) throws(AnnalsError) in
      for (name, value) in rows where !gone.contains(name) {
        guard let value = try withoutErasedNames(name, value, prefix) else { continue }
        let known: Void? = try StoreReader(transaction.view, tables).row(name, in: tables.meta) {
          (_) throws(FormatFailure) in
        }
        // What a pass that continues has added to it already is more than the row that it took over.
        if known == nil { try transaction.put(value, name, in: tables.meta) }
      }
    }
    return Array(end.name.utf8)
  }

  /// Returns the value of a row with placeholders for erased names.
  ///
  /// - Returns: `nil` if the row is of an erased name, or leads to streams with erased names alone: nothing
  ///   that it could lead to is left.
  private func withoutErasedNames(
    _ name: String, _ value: [UInt8], _ prefix: String
  ) throws(AnnalsError) -> [UInt8]? {
    if renamed.isEmpty { return value }
    if renamed[StreamName(String(name.dropFirst(prefix.count)))] != nil { return nil }
    do throws(FormatFailure) {
      if prefix == MovedRow.prefix { return try MovedRow(value.span).renaming(renamed)?.encoded() }
      var row = try OriginRow(value.span)
      row.stream = renamed[row.stream] ?? row.stream
      return row.encoded()
    } catch {
      throw AnnalsError(error, place: "table 'meta', key '\(name)'")
    }
  }
}
