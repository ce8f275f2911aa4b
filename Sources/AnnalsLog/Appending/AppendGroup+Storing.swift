internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsShapes
internal import LMDB

// Storing an accepted call.
extension AppendGroup {
  /// The maximum number of bytes of entries for which the heads are locked at a time.
  private static let holdBytes = 1 << 20

  /// The progress of putting a call.
  private struct Progress {
    var part = 0
    var item = 0
    /// The part from which on streams were looked up before.
    var base = 0
    /// The ends of the parts and of the events that are put.
    var parts: Int
    var items: Int
    /// Whether each part is a call.
    var isPartACall = false
    /// The kind of each of the call's record types; 0 while it has none.
    var kinds: [UInt32]
    /// The addition of each record type to the census.
    var sums: [CensusRow]
    var revisions: [Revision] = []
    /// The stream of each event that has an id, if the store has an index of them.
    var streams: [UInt64] = []
  }

  /// Puts the events of an accepted call.
  mutating func store(
    _ request: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Appended {
    if !request.attachments.isEmpty { try beginAttachments(in: &transaction) }
    if !request.tags.isEmpty {
      try beginTags(in: &transaction)
      try findTags(of: request, transaction)
    }
    if request.hasPersonalFields { try beginPersonalFields(in: &transaction) }
    if !request.rules.isEmpty, !kinds.unnoted.isEmpty { try noteReaders(of: request) }
    let first = last + 1
    var progress = Progress(
      parts: request.parts.count, items: request.items.count, kinds: request.records.map { kind(of: $0) },
      sums: [CensusRow](repeating: CensusRow(), count: request.records.count))
    progress.revisions.reserveCapacity(request.items.count)
    try putAll(of: request, &progress, &transaction)
    if case .index(let table) = search, request.hasIDs {
      try putIDs(of: request, progress, in: table, &transaction)
    }
    for (record, sum) in progress.sums.enumerated() {
      census[progress.kinds[record], default: CensusRow()].add(sum)
    }
    if let last = request.lastRecord, recent?.kind != progress.kinds[last] {
      recent = (request.records[last], progress.kinds[last])
    }
    count += UInt64(request.items.count)
    let positions = (first...last).map { Position($0) }
    return Appended(positions: positions, revisions: progress.revisions, wasRepeated: false)
  }

  /// Puts the events of accepted plain calls, whose record types have kinds.
  mutating func store(
    _ plain: PlainCalls, _ range: Range<Int>, _ kinds: [UInt32], _ answers: inout SequencedAnswers,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let events = plain.events
    let start = events.parts[range.lowerBound].items.lowerBound
    let end = events.parts[range.upperBound - 1].items.upperBound
    var progress = Progress(
      part: range.lowerBound, item: start, base: range.lowerBound, parts: range.upperBound, items: end,
      isPartACall: true, kinds: kinds, sums: [CensusRow](repeating: CensusRow(), count: kinds.count))
    progress.revisions.reserveCapacity(end - start)
    let first = last + 1
    try putAll(of: events, &progress, &transaction)
    for (record, sum) in progress.sums.enumerated() where sum.parts > 0 {
      census[kinds[record], default: CensusRow()].add(sum)
    }
    count += UInt64(end - start)
    let known = answers.revisions.count
    answers.append(progress.revisions)
    for index in range {
      let items = events.parts[index].items
      let position = first + UInt64(items.lowerBound - start)
      answers.append(
        storedFrom: Position(position), known + items.lowerBound - start..<known + items.upperBound - start)
      // For each call, so that the noted times do not depend on how many are put together.
      try noteTime(plain.times[index], from: position, in: &transaction)
    }
  }

  /// Puts all events of a call, or of several.
  private mutating func putAll(
    of request: AppendRequest, _ progress: inout Progress, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let heads = heads
    while progress.item < progress.items {
      try heads.withTable { (table) throws(AnnalsError) in
        try putRun(of: request, &progress, &table, &transaction)
      }
    }
  }

  /// The kind of a record type; 0 while it has none.
  func kind(of record: AppendRequest.Record) -> UInt32 {
    if let recent, recent.record == record { return recent.kind }
    return kinds.kind(of: record) ?? 0
  }

  /// Puts the ids of a call's events into the index.
  private func putIDs(
    of request: AppendRequest, _ progress: Progress, in table: Table, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    var next = 0
    for (item, revision) in zip(request.items, progress.revisions) {
      guard let id = item.id else { continue }
      let row = IDRow(stream: Position(progress.streams[next]), id: id, revision: revision)
      try transaction.put(row, in: table)
      next += 1
    }
  }

  /// Puts events up to the limit for which the heads may be locked.
  private mutating func putRun(
    of request: AppendRequest, _ progress: inout Progress, _ table: inout HeadTable,
    _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let items = request.items.span
    let parts = request.parts.span
    let end = min(progress.item + Self.hold, progress.items)
    var bytes = 0
    var fetched = progress.part
    var item = progress.item
    while item < end, bytes < Self.holdBytes {
      // A part without events is only checked.
      while parts[progress.part].items.upperBound <= item { progress.part += 1 }
      // Heads are searched in the index two runs ahead, and in their slots one run ahead.
      if fetched < progress.parts, progress.part + Self.run >= fetched {
        let next = min(fetched + Self.run, progress.parts)
        let ahead = min(next + Self.run, progress.parts)
        for index in next..<ahead { table.slots.prefetchIndex(parts[index].hash) }
        for index in fetched..<next { table.slots.prefetchSlot(parts[index].hash) }
        fetched = next
      }
      let record = items[item].record
      var rows: [UInt8] = []
      if progress.kinds[record] == 0 {
        (progress.kinds[record], rows) = try register(request.records[record], of: request)
      }
      progress.sums[record].add(bytes: items[item].place.payloadCount)
      let slot = try slot(request, progress.part, after: progress.base, transaction, &table)
      let isEnd = item + 1 == (progress.isPartACall ? parts[progress.part].items.upperBound : items.count)
      last += 1
      let hasID = items[item].id != nil
      let tagPlaces = items[item].tags
      var extensions = request.extensions(of: items[item])
      if !tagPlaces.isEmpty {
        extensions = try self.extensions(tagPlaces, after: extensions, in: request)
      }
      if slot == nil { table.begin(parts[progress.part].hash, hasID: hasID) }
      let name = slot == nil ? parts[progress.part].stream.text : ""
      try request.withBytes(of: items[item]) { (payload, metadata) throws(AnnalsError) in
        var draft = EntryDraft(
          kind: progress.kinds[record], time: items[item].time, name: name.utf8.span, metadata: metadata,
          rows: rows.span, body: payload)
        if let slot {
          draft.links = table.extend(slot, hasID: hasID)
          draft.stream = table.slots.id(slot)
          draft.revision = Revision(table.slots.revision(slot))
        }
        if hasID { progress.streams.append(slot == nil ? last : draft.stream) }
        draft.extensions = extensions.span
        draft.id = items[item].id
        draft.isEndOfCall = isEnd
        bytes += try put(draft, &transaction)
        progress.revisions.append(draft.revision)
      }
      if !tagPlaces.isEmpty { spareExtensions = extensions }
      item += 1
    }
    progress.item = item
    table.count(bytes: bytes)
  }

  /// Returns the slot of a part's stream, whose head is whole; `nil` for a stream that the next entry begins.
  @inline(__always)
  private func slot(
    _ request: AppendRequest, _ index: Int, after base: Int, _ transaction: borrowing WriteTransaction,
    _ table: inout HeadTable
  ) throws(AnnalsError) -> Int? {
    // The slot found for the decision may have been reused for another head since.
    let place = places.isEmpty ? nil : places[index - base]
    if let place, place.id != 0, table.slots.id(place.slot) == place.id { return place.slot }
    if let slot = table.find(request.parts[index].hash), !table.slots.isPartial(slot) { return slot }
    // It was looked up once. Only this call can have begun the stream since, and then its head would be
    // found.
    if let place, place.id == 0 { return nil }
    let found = try Self.look(up: request.parts[index], StoreReader(transaction.view, tables), &table)
    return found.id == 0 ? nil : found.slot
  }

  /// Puts an entry at the end of the log.
  ///
  /// - Returns: The size of the entry in bytes.
  @inline(__always)
  func put(
    _ draft: borrowing EntryDraft, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Int {
    let count = draft.count
    let position = Position(last)
    do throws(EnvironmentError) {
      try transaction.append(count, forKey: last, in: tables.entries) { bytes in
        draft.write(to: &bytes, at: position)
      }
    } catch {
      throw AnnalsError(error)
    }
    return count
  }

  /// Gives a record type the next number.
  ///
  /// - Returns: The number, and the rows in its first entry.
  private mutating func register(
    _ record: AppendRequest.Record, of request: AppendRequest
  ) throws(AnnalsError) -> (kind: UInt32, rows: [UInt8]) {
    let new: EntryRows.New
    let oldest = request.oldestReader(of: record.type, version: record.version, shape: record.shape)
    do { new = try kinds.register(record, first: Position(last + 1), oldestReader: oldest) } catch {
      throw AnnalsError(error, record)
    }
    registered.append(new)
    return (new.kind, EntryRows(new: [new]).encoded())
  }
}
