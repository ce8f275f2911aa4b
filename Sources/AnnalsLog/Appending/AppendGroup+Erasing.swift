package import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

// Erasing the contents of entries.
extension AppendGroup {
  /// Replaces entries by stubs without payload, metadata and id, and records that in a system entry.
  ///
  /// Each stub keeps the mark of its entry, so that checkpoints there remain valid. The schema epoch rises,
  /// so that a pass that has copied the contents does not come into use.
  ///
  /// - Parameter positions: Ascending positions.
  /// - Returns: The place of the system entry; no place if nothing was left to erase.
  mutating func erase(
    _ positions: [Position], _ change: LogChange, of call: AppendRequest,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    if let refusal = missingRule(of: call) { return .failure(refusal) }
    if let beyond = positions.first(where: { $0.rawValue == 0 || $0.rawValue > last }) {
      return .failure(AnnalsError(noEntryAt: beyond, last: last))
    }
    var entries: [ErasedEntry] = []
    // What this group has added to it is changed, too.
    try putCensus(in: &transaction)
    var lost: LostIDs = [:]
    for position in positions where entries.last?.position != position {
      if let entry = try erase(position, reason: change.reason, &lost, in: &transaction) {
        entries.append(entry)
      }
    }
    if !change.leavesNothingBefore { try index(lost, in: &transaction) }
    let isNameless = try eraseName(change.erasedStream, in: &transaction)
    // Without positions, the change records that the key of a person was dropped.
    guard !entries.isEmpty || isNameless || positions.isEmpty else {
      return .success(Appended(positions: [], revisions: [], wasRepeated: true))
    }
    try begin(in: &transaction)
    try raiseEpoch()
    var whole: Set<Int> = []
    // A dropped key concerns events that nobody has listed, so no rows are whole without them.
    if !positions.isEmpty {
      for rule in call.rules { whole.formUnion(try rule.erase(entries, from: &self, in: &transaction)) }
    }
    // The rows of the others have been folded from the contents, and are folded again. So are those that are
    // not in force yet.
    for index in rules.indices where rules[index].state != .retired {
      if !whole.contains(index) { rules[index].folded = 0 }
      hasAppliedRules = true
    }
    let number = try erasingGeneration(of: call, in: &transaction)
    let entry = SystemEntry(
      .erased(PositionRanges(entries.map(\.position)), generation: number), author: change.author)
    return .success(try put(Stub(entry, reason: change.reason), time: call.time, in: &transaction))
  }

  /// Lets the next pass remove the name of a stream, unless it has an entry after the erased ones.
  ///
  /// - Returns: Whether the name leaves by this change.
  private func eraseName(
    _ stream: (name: StreamName, head: Revision)?, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Bool {
    guard let stream, !SystemEntry.isReserved(stream.name) else { return false }
    guard let id = try nameless(stream, StoreReader(transaction.view, tables)) else { return false }
    try transaction.put(NamelessRow.encoded(stream.head), NamelessRow.name(id), in: tables.meta)
    return true
  }

  /// Returns the id of a stream that ends with a revision and has its name.
  private func nameless(
    _ stream: (name: StreamName, head: Revision), _ reader: StoreReader
  ) throws(AnnalsError) -> Position? {
    let end = try heads.withTable { (table) throws(AnnalsError) -> StreamEnd? in
      let place = try Self.look(up: stream.name, StreamHash(stream.name), reader, &table)
      return place.id == 0 ? nil : table.slots.end(place.slot)
    }
    guard let end, end.revision == stream.head, try reader.namelessRevision(of: end.id) != stream.head else {
      return nil
    }
    return end.id
  }

  /// Erases one entry.
  ///
  /// - Returns: `nil` if it had nothing to erase, as a system entry or an erased one.
  private mutating func erase(
    _ position: Position, reason: String, _ lost: inout LostIDs, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> ErasedEntry? {
    guard let erasure = try erasure(of: position, reason: reason, in: transaction) else { return nil }
    do throws(EnvironmentError) {
      try transaction.put(erasure.bytes.span, forKey: position.rawValue, in: tables.entries)
    } catch {
      throw AnnalsError(error)
    }
    if let row = erasure.id, let index = transaction.environment.ids,
      try StoreReader(transaction.view, tables).revision(of: row.id, in: row.stream, index) == row.revision
    {
      let key = row.key
      do { try transaction.delete(key: key.span, in: index) } catch { throw AnnalsError(error) }
      lost[row.stream, default: ([], row.revision, position)].ids.insert(row.id)
      lost[row.stream]?.revision = row.revision
      lost[row.stream]?.position = position
    }
    for (kind, change) in erasure.counts {
      var row =
        try StoreReader(transaction.view, tables).row(UInt64(kind), in: tables.census, CensusRow.init)
        ?? CensusRow()
      row.subtract(change.taken)
      row.add(change.added)
      try transaction.put(row.encoded(), UInt64(kind), in: tables.census)
    }
    return ErasedEntry(
      position: position, stream: erasure.stream, revision: erasure.revision,
      kinds: Set(erasure.counts.keys))
  }

  /// By stream, the ids whose rows of the index led to erased entries, and the newest of those.
  private typealias LostIDs = [Position: (ids: Set<UUID>, revision: Revision, position: Position)]

  /// Lets the index lead to the newest entry that is left with an id, after a late retry has stored it again.
  private func index(_ lost: LostIDs, in transaction: inout WriteTransaction) throws(AnnalsError) {
    guard !lost.isEmpty, let index = transaction.environment.ids,
      try StoreReader(transaction.view, tables).mayRepeatIDs()
    else { return }
    for (stream, newest) in lost {
      var ids = newest.ids
      var rows: [IDRow] = []
      do throws(AnnalsError) {
        try StoreReader(transaction.view, tables).eachID(
          of: stream, back: newest.revision, at: newest.position, through: 0
        ) { (row, _) in
          if ids.remove(row.id) != nil { rows.append(row) }
          return !ids.isEmpty
        }
      } catch  where error.code == .damaged {
        // An erasure does not depend on it. A repair makes the index again.
      }
      for row in rows { try transaction.put(row, in: index) }
    }
  }

  /// What changes with the erasure of an entry.
  private struct EntryErasure {
    var stream: Position
    var revision: Revision
    /// The bytes of the stub.
    var bytes: [UInt8]
    /// The row of the index of ids that goes; `nil` if the entry has no id.
    var id: IDRow?
    /// The changes of the census, by kind.
    var counts: [UInt32: (taken: CensusRow, added: CensusRow)]
  }

  private func erasure(
    of position: Position, reason: String, in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> EntryErasure? {
    let reader = StoreReader(transaction.view, tables)
    let stored = try reader.bytes(at: position)
    let entry = try reader.lend(stored, at: position)
    let header = entry.header
    if header.isSystem { return nil }
    let (body, isQuarantined) = try entry.layout { () throws(FormatFailure) in
      (try EntryBody(stored, header: header), try header.isQuarantined(stored))
    }
    var counts: [UInt32: (taken: CensusRow, added: CensusRow)] = [:]
    func take(_ kind: UInt32, bytes: Int) {
      if isQuarantined {
        counts[kind, default: (CensusRow(), CensusRow())].taken.quarantined += 1
      } else {
        counts[kind, default: (CensusRow(), CensusRow())].taken.add(bytes: bytes)
      }
    }
    var kind = header.kind
    switch body {
    case .stub(let stub):
      if stub.mark != nil { return nil }
      var taken = CensusRow()
      if stub.cause == .quarantined { taken.quarantined = 1 } else { taken.stubs = 1 }
      counts[kind] = (taken, CensusRow())
    case .payload(let payload): take(kind, bytes: payload.count)
    case .parts(let parts):
      kind = parts.first?.kind ?? 0
      for part in parts { take(part.kind, bytes: part.payload.count) }
    }
    guard kind != 0 else { return nil }
    counts[kind, default: (CensusRow(), CensusRow())].added.stubs = 1
    var stub: [UInt8] = []
    Stub(erasedWithMark: try reader.ownMark(at: position), reason: reason).append(to: &stub)
    var copy = EntryCopy(stored, header, kind: kind, form: .stub, body: stub.span)
    let links = try erasedExtensions(stored, header, at: position, reader)
    copy.extensions = links.span
    copy.rows = stored.extracting(header.rows..<header.body.lowerBound)
    copy.dropsID = true
    return EntryErasure(
      stream: header.stream, revision: header.revision, bytes: copy.encoded(at: position),
      id: try reader.idRow(stored, at: position), counts: counts)
  }
}

extension CensusRow {
  /// Takes the counts of another row away. A damaged row must not stop the process; 'verify' finds it.
  fileprivate mutating func subtract(_ other: CensusRow) {
    parts -= min(parts, other.parts)
    bytes -= min(bytes, other.bytes)
    stubs -= min(stubs, other.stubs)
    quarantined -= min(quarantined, other.quarantined)
  }
}

extension AnnalsError {
  /// The error for a position without an entry.
  package init(noEntryAt position: Position, last: UInt64) {
    self.init(
      .wrongUse, "position \(position): there is no entry; the log has the positions 1 to \(last)",
      details: Details { $0.position = position })
  }
}
