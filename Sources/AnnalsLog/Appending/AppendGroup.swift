internal import AnnalsCoding
internal import AnnalsSchema
package import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The calls that one transaction stores. Each call is decided against the results of those before it, and
/// only an accepted one reaches LMDB.
package struct AppendGroup {
  /// The number of parts whose names are hashed before the first of them is looked up, so that their memory
  /// has been fetched by then.
  static let run = 16
  /// The maximum number of entries, and of their bytes, for which the heads are locked at a time; readers
  /// wait no longer.
  static let hold = 512
  private static let holdBytes = 1 << 20

  /// The number of events ahead at which an event's payload is fetched from memory.
  private static let ahead = 6

  /// The end of a part's stream, in memory.
  package struct Place {
    /// The slot of its head.
    package var slot = 0
    /// The position of its first entry; 0 if the stream holds none.
    package var id: UInt64 = 0
  }

  let generation: Generation
  let heads: StreamHeads
  package let tables: StoreTables
  package let directory: Directory
  let search: IDSearch
  /// The kinds, including those that the group registered.
  package var kinds: KindRegistry
  /// The kinds that the group registered.
  var registered: [EntryRows.New] = []
  /// The ordinals of versions whose roll-out advanced.
  var begun: Set<UInt16> = []
  /// The kinds for which the group notes which older versions read them.
  var noted: Set<UInt32> = []
  /// Whether the schema epoch is raised by this group.
  var hasRaisedEpoch = false
  /// The changes of the census by this group.
  var census: [UInt32: CensusRow] = [:]
  /// The rules that the store demands of appends, with their progress after the group's calls.
  package var rules: [RuleRow]
  /// Whether a rule has written rows for a call of the group.
  package var hasAppliedRules = false
  /// The memory of the rule that was applied last, for the next calls of the group.
  package var ruleMemory: AnyObject?
  /// The heads of the tags that the group extends.
  var tags = TagHeads()
  /// The newest times of commits; `nil` if they are not known.
  var times: CommitTimes?
  /// The tags of the event that is being stored, kept for its memory.
  var tagList = TagListDraft()
  var places: [Place] = []
  /// The ends of the same streams, copied when they were found: a slot may belong to another stream before
  /// all are found.
  package var ends: [StreamEnd?] = []
  /// The position of the newest entry.
  package internal(set) var last: UInt64
  /// The number of entries that the group stored.
  var count: UInt64 = 0
  /// Whether it changed anything.
  var hasChanges: Bool { count > 0 }

  /// Creates a group after the entry at `last` (0: none).
  ///
  /// - Parameters:
  ///   - search: How event ids are recognised.
  ///   - rules: The rules that the store demands of appends.
  init(_ generation: Generation, last: UInt64, _ search: IDSearch, rules: [RuleRow] = []) {
    self.rules = rules
    self.generation = generation
    heads = generation.heads
    tables = generation.tables
    directory = generation.directory
    self.search = search
    kinds = generation.kinds
    self.last = last
  }

  /// Decides a call, and stores its events if it is accepted.
  ///
  /// - Returns: The answer for its caller.
  /// - Throws: Any error that ends the whole transaction.
  mutating func run(
    _ call: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    if let change = call.change { return try run(change, of: call, in: &transaction) }
    var request = call
    let verdict: AppendVerdict
    do {
      if let sight = call.sight { request = try unknown(of: call, since: sight, in: transaction) }
      verdict = try decide(request, in: transaction)
    } catch {
      return .failure(error)
    }
    switch verdict {
    case .accepted:
      if request.items.isEmpty {
        return .success(Appended(positions: [], revisions: [], wasRepeated: call.sight != nil))
      }
      if let missing = try missingAttachment(of: request) {
        return .failure(AnnalsError(missingAttachment: missing))
      }
      let before: Versions?
      do throws(AnnalsError) { before = try begin(request) } catch { return .failure(error) }
      if let refusal = try applyRules(of: request, in: &transaction) {
        if let before { restore(before) }
        return .failure(refusal)
      }
      return .success(try store(request, in: &transaction))
    case .repeated(let identities):
      return .success(
        Appended(
          positions: identities.map(\.position), revisions: identities.map(\.revision), wasRepeated: true))
    default:
      return .failure(AnnalsError(verdict))
    }
  }
}

// Storing.
extension AppendGroup {
  /// The progress of putting a call.
  private struct Progress {
    var part = 0
    var item = 0
    /// The kind of each of the call's record types; 0 while it has none.
    var kinds: [UInt32]
    /// The addition of each record type to the census.
    var sums: [CensusRow]
    var revisions: [Revision] = []
    /// The stream of each event that has an id, if the store has an index of them.
    var streams: [UInt64] = []
  }

  /// Puts the events of an accepted call.
  private mutating func store(
    _ request: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Appended {
    if !request.attachments.isEmpty { try beginAttachments(in: &transaction) }
    if !request.tags.isEmpty { try beginTags(in: &transaction) }
    if request.hasPersonalFields { try beginPersonalFields(in: &transaction) }
    if !request.rules.isEmpty, !kinds.unnoted.isEmpty { try noteReaders(of: request) }
    let first = last + 1
    var progress = Progress(
      kinds: request.records.map { kinds.kind(of: $0) ?? 0 },
      sums: [CensusRow](repeating: CensusRow(), count: request.records.count))
    progress.revisions.reserveCapacity(request.items.count)
    let heads = heads
    while progress.item < request.items.count {
      try heads.withTable { (table) throws(AnnalsError) in
        try putRun(of: request, &progress, &table, &transaction)
      }
    }
    if case .index(let table) = search, request.hasIDs {
      try putIDs(of: request, progress, in: table, &transaction)
    }
    for (record, sum) in progress.sums.enumerated() {
      census[progress.kinds[record], default: CensusRow()].add(sum)
    }
    count += UInt64(request.items.count)
    let positions = (first...last).map { Position($0) }
    return Appended(positions: positions, revisions: progress.revisions, wasRepeated: false)
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
    let end = min(progress.item + Self.hold, items.count)
    let noBytes = Span<UInt8>()
    var bytes = 0
    var fetched = progress.part
    var item = progress.item
    while item < end, bytes < Self.holdBytes {
      // A part without events is only checked.
      while parts[progress.part].items.upperBound <= item { progress.part += 1 }
      // Heads are searched in the index two runs ahead, and in their slots one run ahead.
      if fetched < parts.count, progress.part + Self.run >= fetched {
        let next = min(fetched + Self.run, parts.count)
        for index in next..<min(next + Self.run, parts.count) { table.slots.prefetchIndex(parts[index].hash) }
        for index in fetched..<next { table.slots.prefetchSlot(parts[index].hash) }
        fetched = next
      }
      // The bytes have probably not been touched since another thread made them.
      if item + Self.ahead < end { items[item + Self.ahead].payload.span.prefetch() }
      let record = items[item].record
      var rows: [UInt8] = []
      if progress.kinds[record] == 0 {
        (progress.kinds[record], rows) = try register(request.records[record], of: request)
      }
      progress.sums[record].add(bytes: items[item].payload.count)
      let slot = try slot(request, progress.part, transaction, &table)
      last += 1
      let hasID = items[item].id != nil
      let tagged =
        items[item].tags.isEmpty ? [] : try extensions(of: items[item], in: request, transaction)
      if let slot {
        var draft = EntryDraft(
          kind: progress.kinds[record], time: items[item].time, name: noBytes,
          metadata: items[item].metadata.span, rows: rows.span, body: items[item].payload.span)
        draft.extensions = tagged.isEmpty ? items[item].extensions.span : tagged.span
        draft.links = table.extend(slot, hasID: hasID)
        draft.stream = table.slots.id(slot)
        draft.revision = Revision(table.slots.revision(slot))
        if hasID { progress.streams.append(draft.stream) }
        draft.id = items[item].id
        draft.isEndOfCall = item + 1 == items.count
        bytes += try put(draft, &transaction)
        progress.revisions.append(draft.revision)
      } else {
        table.begin(parts[progress.part].hash, hasID: hasID)
        if hasID { progress.streams.append(last) }
        let name = parts[progress.part].stream.text
        var draft = EntryDraft(
          kind: progress.kinds[record], time: items[item].time, name: name.utf8.span,
          metadata: items[item].metadata.span, rows: rows.span, body: items[item].payload.span)
        draft.extensions = tagged.isEmpty ? items[item].extensions.span : tagged.span
        draft.id = items[item].id
        draft.isEndOfCall = item + 1 == items.count
        bytes += try put(draft, &transaction)
        progress.revisions.append(0)
      }
      item += 1
    }
    progress.item = item
    table.count(bytes: bytes)
  }

  /// Returns the slot of a part's stream, whose head is whole; `nil` for a stream that the next entry begins.
  @inline(__always)
  private func slot(
    _ request: AppendRequest, _ index: Int, _ transaction: borrowing WriteTransaction,
    _ table: inout HeadTable
  ) throws(AnnalsError) -> Int? {
    // The slot found for the decision may have been reused for another head since.
    if !places.isEmpty, places[index].id != 0, table.slots.id(places[index].slot) == places[index].id {
      return places[index].slot
    }
    if let slot = table.find(request.parts[index].hash), !table.slots.isPartial(slot) { return slot }
    // It was looked up once. Only this call can have begun the stream since, and then its head would be
    // found.
    if !places.isEmpty, places[index].id == 0 { return nil }
    let place = try Self.look(up: request.parts[index], StoreReader(transaction.view, tables), &table)
    return place.id == 0 ? nil : place.slot
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
