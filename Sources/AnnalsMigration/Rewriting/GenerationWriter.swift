internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Puts rewritten entries into the generation that is being built.
///
/// It keeps nothing in memory, so that a transaction that is aborted leaves nothing after.
struct GenerationWriter: Sendable {
  let tables: StoreTables
  let kinds: GenerationKinds
  /// Whether the generation has an index of event ids.
  let isIndexed: Bool
  /// The ids of the streams that lose their names.
  var nameless: Set<UInt64> = []

  /// Puts a run: its entries after those that are there, rows of the kinds that are new with it, and its
  /// share of the census.
  func put(_ run: borrowing RewrittenRun, in transaction: inout WriteTransaction) throws(AnnalsError) {
    var new: [(kind: UInt32, index: Int)] = []
    for line in run.tally.lines {
      let stored = try StoreReader(transaction.view, tables).row(
        UInt64(line.kind), in: tables.census, CensusRow.init)
      if stored == nil { new.append((line.kind, line.first)) }
      var row = stored ?? CensusRow()
      row.add(line.row)
      try transaction.put(row.encoded(), UInt64(line.kind), in: tables.census)
    }
    var tags = TagRelinking(transaction, tables)
    for index in 0..<run.count {
      let position = run.position(of: index)
      let kinds = new.isEmpty ? [] : new.filter { $0.index == index }.map(\.kind)
      if let relinked = try tags?.relinked(run.entry(index), at: position, transaction) {
        try put(relinked.span, at: position, firstOf: kinds, in: &transaction)
      } else {
        try put(run.entry(index), at: position, firstOf: kinds, in: &transaction)
      }
    }
    try tags?.put(in: &transaction)
    try putIDs(of: run, in: &transaction)
  }

  /// Puts an entry, which may be the first one of kinds.
  @inline(__always)
  private func put(
    _ entry: Span<UInt8>, at position: Position, firstOf kinds: [UInt32],
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    if kinds.isEmpty { return try append(entry, at: position, in: &transaction) }
    try put(firstOf: kinds, entry, at: position, in: &transaction)
  }

  /// Puts the ids of a run's entries into the index, where the generation has one.
  private func putIDs(
    of run: borrowing RewrittenRun, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    guard isIndexed else { return }
    guard let index = transaction.environment.ids else { throw AnnalsError.missingIDs }
    for number in 0..<run.count {
      let row = try StoreReader(transaction.view, tables).idRow(
        run.entry(number), at: run.position(of: number))
      if let row { try transaction.put(row, in: index) }
    }
  }

  /// Puts the rows of versions of which something was computed from the whole log.
  func putActivatedSchemas(in transaction: inout WriteTransaction) throws(AnnalsError) {
    for (ordinal, row) in kinds.activatedSchemas() {
      try transaction.put(row.encoded(), UInt64(ordinal), in: tables.schemas)
    }
  }

  /// Puts an entry that is the first one of kinds, with their rows in it.
  private func put(
    firstOf numbers: [UInt32], _ entry: Span<UInt8>, at position: Position,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    var new: [EntryRows.New] = []
    for number in numbers.sorted() {
      guard let rows = kinds.rows(of: number, first: position) else {
        throw AnnalsError(
          .damaged, "position \(position): the store knows no kind \(number); run 'annals verify'",
          details: AnnalsError.Details { $0.position = position })
      }
      new.append(rows)
      try transaction.put(rows.schemaRow.encoded(), UInt64(rows.kindRow.ordinal), in: tables.schemas)
      try transaction.put(rows.kindRow.encoded(), UInt64(number), in: tables.kinds)
      if rows.kindRow.oldestReader != nil { try transaction.require(.readers, tables) }
    }
    let header: EntryHeader
    do throws(FormatFailure) { header = try EntryHeader(entry, at: position) } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    // What is only copied has its rows already, unless the entry that had them was lost.
    if kinds.isCopy, header.flags.contains(.rows), try hasRows(of: numbers, entry, header, position) {
      return try append(entry, at: position, in: &transaction)
    }
    let rows = EntryRows(new: new).encoded()
    var copy = EntryCopy(
      entry, header, kind: header.kind, form: header.form, body: entry.extracting(header.body))
    copy.rows = rows.span
    try append(copy.encoded(at: position).span, at: position, in: &transaction)
  }

  /// Whether an entry has the rows of all these kinds.
  private func hasRows(
    of numbers: [UInt32], _ entry: Span<UInt8>, _ header: EntryHeader, _ position: Position
  ) throws(AnnalsError) -> Bool {
    do throws(FormatFailure) {
      let carried = Set(try EntryRows(entry, at: header.rows).new.map(\.kind))
      return carried.isSuperset(of: numbers)
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
  }

  /// The first entry of a stream, with a placeholder instead of the stream's name.
  private static func renamed(_ entry: Span<UInt8>, at position: Position) throws(AnnalsError) -> [UInt8] {
    let header: EntryHeader
    do throws(FormatFailure) { header = try EntryHeader(entry, at: position) } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    let name = Array(SystemEntry.placeholder(of: position).text.utf8)
    let relink = EntryRelink(entry, header, beginning: name.span)
    var bytes = [UInt8](repeating: 0, count: relink.count)
    var span = bytes.mutableSpan
    relink.write(to: &span, at: position)
    return bytes
  }

  @inline(__always)
  private func append(
    _ entry: Span<UInt8>, at position: Position, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    if !nameless.isEmpty, nameless.contains(position.rawValue) {
      let renamed = try Self.renamed(entry, at: position)
      do { try transaction.append(near: renamed.span, forKey: position.rawValue, in: tables.entries) } catch {
        throw AnnalsError(error)
      }
      return
    }
    do throws(EnvironmentError) {
      try transaction.append(near: entry, forKey: position.rawValue, in: tables.entries)
    } catch {
      throw AnnalsError(error)
    }
  }
}
