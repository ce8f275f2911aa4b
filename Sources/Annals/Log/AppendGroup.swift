internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The calls that one transaction stores: each is decided against what those before it left, and only an accepted one reaches LMDB.
struct AppendGroup {
  /// Names are hashed for so many parts at a time before the first of them is looked at, so that their memory is there by then.
  private static let run = 16
  /// For how many entries the heads are held at a time; readers wait for no more.
  private static let hold = 512

  /// Where the stream of a part ends, in memory.
  private struct Place {
    /// The slot of its head.
    var slot = 0
    /// The position of its first entry; 0 where the stream holds none.
    var id: UInt64 = 0
  }

  private let heads: StreamHeads
  private let tables: StoreTables
  private let window: UInt64
  /// The kinds, those included that the group registered.
  private(set) var kinds: KindRegistry
  private var registered: [EntryRows.New] = []
  private var census: [UInt32: CensusRow] = [:]
  private var places: [Place] = []
  /// The position of the newest entry.
  private(set) var last: UInt64
  /// How many entries the group stored.
  private(set) var count: UInt64 = 0

  /// A group behind the entry at `last` (0: none).
  init(_ generation: Generation, last: UInt64) {
    heads = generation.heads
    tables = generation.tables
    window = generation.meta.window
    kinds = generation.kinds
    self.last = last
  }

  /// Decides a call, and puts its events where it is accepted.
  ///
  /// - Returns: What its caller is told.
  /// - Throws: What ends the whole transaction.
  mutating func run(
    _ request: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    let verdict: AppendVerdict
    do {
      try locate(request, in: transaction)
      verdict = try decide(request, in: transaction)
    } catch {
      return .failure(error)
    }
    switch verdict {
    case .accepted:
      if request.items.isEmpty {
        return .success(Appended(positions: [], revisions: [], wasRepeated: false))
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

  private func decide(
    _ request: AppendRequest, in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> AppendVerdict {
    // Most calls ask for nothing, and then nothing is compared.
    guard request.hasIDs || request.hasExpectations else { return .accepted }
    let ends = heads.withTable { table in
      places.map { $0.id == 0 ? nil : table.slots.end($0.slot) }
    }
    let state = GroupState(reader: StoreReader(transaction.view, tables), ends: ends, window: window)
    return try AppendDecision.decide(request, in: state)
  }
}

/// What appends are decided by: the heads in memory, and the entries inside the transaction that would add to them.
private struct GroupState: AppendState, ~Escapable {
  let reader: StoreReader
  let ends: [StreamEnd?]
  let window: UInt64

  @_lifetime(copy reader)
  init(reader: StoreReader, ends: [StreamEnd?], window: UInt64) {
    self.reader = reader
    self.ends = ends
    self.window = window
  }

  func end(ofPart index: Int) -> StreamEnd? { ends[index] }

  func identities(
    of end: StreamEnd, _ revisions: ClosedRange<UInt64>
  ) throws(AnnalsError) -> [EntryIdentity] {
    let head = Head(id: end.id, revision: end.revision, last: end.last, levels: [], newestID: end.newestID)
    var touched = 0
    return try reader.walk(revisions, of: head, touched: &touched) { (bytes, header, position) in
      EntryIdentity(
        position: position, revision: header.revision,
        id: header.flags.contains(.id) ? UUID(bytes, at: header.id.lowerBound) : nil)
    }
  }
}

// Finding heads.
extension AppendGroup {
  /// Finds the heads of all streams of a call.
  private mutating func locate(
    _ request: AppendRequest, in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) {
    places.removeAll(keepingCapacity: true)
    var next = 0
    while next < request.parts.count {
      let end = min(next + Self.hold, request.parts.count)
      try heads.withTable { (table) throws(AnnalsError) in
        while next < end {
          let run = next..<min(next + Self.run, end)
          for index in run { table.slots.prefetchIndex(request.parts[index].hash) }
          for index in run { table.slots.prefetchSlot(request.parts[index].hash) }
          for index in run { places.append(try locate(request.parts[index], transaction, &table)) }
          next = run.upperBound
        }
      }
    }
  }

  private func locate(
    _ part: AppendRequest.Part, _ transaction: borrowing WriteTransaction, _ table: inout HeadTable
  ) throws(AnnalsError) -> Place {
    if let slot = table.find(part.hash) {
      if table.slots.isPartial(slot) { try complete(slot, transaction, &table) }
      return Place(slot: slot, id: table.slots.id(slot))
    }
    let reader = StoreReader(transaction.view, tables)
    guard let id = try reader.storedID(of: part.stream) else { return Place() }
    if let slot = table.slots.find(id: id.rawValue) {
      table.name(slot, part.hash)
      if table.slots.isPartial(slot) { try complete(slot, transaction, &table) }
      return Place(slot: slot, id: id.rawValue)
    }
    let row = try reader.storedHead(id: id)
    guard row.last.rawValue <= table.last else {
      throw AnnalsError(
        .damaged,
        "table 'heads', key \(id): it leads to position \(row.last), behind the log's end at \(table.last); run 'annals verify'",
        details: AnnalsError.Details { $0.table = "heads" })
    }
    return Place(slot: table.load(row, part.hash), id: id.rawValue)
  }

  private func complete(
    _ slot: Int, _ transaction: borrowing WriteTransaction, _ table: inout HeadTable
  ) throws(AnnalsError) {
    let reader = StoreReader(transaction.view, tables)
    table.complete(slot, with: try reader.storedHead(id: Position(table.slots.id(slot))))
  }
}

// Storing.
extension AppendGroup {
  /// Puts the events of an accepted call.
  private mutating func store(
    _ request: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Appended {
    let first = last + 1
    var sums = [CensusRow](repeating: CensusRow(), count: request.records.count)
    var known = request.records.map { kinds.undeclaredKind(version: $0.version, name: $0.type.text) ?? 0 }
    var revisions: [Revision] = []
    revisions.reserveCapacity(request.items.count)
    var part = 0
    var item = 0
    while item < request.items.count {
      try heads.withTable { (table) throws(AnnalsError) in
        let end = min(item + Self.hold, request.items.count)
        while item < end {
          // A part without events is only checked.
          while request.parts[part].items.upperBound <= item { part += 1 }
          let event = request.items[item]
          var rows: [UInt8] = []
          if known[event.record] == 0 {
            (known[event.record], rows) = try register(request.records[event.record])
          }
          sums[event.record].add(bytes: event.payload.count)
          item += 1
          revisions.append(
            try put(
              event, kind: known[event.record], rows: rows, request.parts[part], part,
              isEnd: item == request.items.count, &table, &transaction))
        }
      }
    }
    for (record, sum) in sums.enumerated() { census[known[record], default: CensusRow()].add(sum) }
    count += UInt64(request.items.count)
    let positions = (first...last).map { Position($0) }
    return Appended(positions: positions, revisions: revisions, wasRepeated: false)
  }

  /// Puts one event behind its stream.
  @inline(__always)
  private mutating func put(
    _ event: AppendRequest.Item, kind: UInt32, rows: [UInt8], _ part: AppendRequest.Part, _ index: Int,
    isEnd: Bool, _ table: inout HeadTable, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Revision {
    last += 1
    var draft = EntryDraft(
      kind: kind, time: event.time, stream: .first(part.stream), revision: 0, isEndOfCall: isEnd,
      id: event.id,
      metadata: event.metadata, rows: rows, body: .payload(event.payload))
    var place = places[index]
    // The stream may have begun earlier in the call, or its head may have made room for another.
    if place.id == 0 || table.slots.id(place.slot) != place.id {
      place = try locate(part, transaction, &table)
      places[index] = place
    }
    if place.id == 0 {
      let slot = table.begin(part.hash, hasID: event.id != nil)
      places[index] = Place(slot: slot, id: last)
    } else {
      draft.links = table.extend(place.slot, hasID: event.id != nil)
      draft.stream = .later(Position(place.id))
      draft.revision = Revision(table.slots.revision(place.slot))
    }
    let position = Position(last)
    let count = draft.count
    table.count(bytes: count)
    do throws(EnvironmentError) {
      try transaction.append(count, forKey: last, in: tables.entries) { bytes in
        draft.write(to: &bytes, at: position)
      }
    } catch {
      throw AnnalsError(error)
    }
    return draft.revision
  }

  /// Gives a record type the next number.
  ///
  /// - Returns: The number, and the rows that its first entry carries.
  private mutating func register(
    _ record: AppendRequest.Record
  ) throws(AnnalsError) -> (kind: UInt32, rows: [UInt8]) {
    do {
      let new = try kinds.register(version: record.version, name: record.type.text, first: Position(last + 1))
      registered.append(new)
      return (new.kind, EntryRows(new: [new]).encoded())
    } catch {
      throw AnnalsError(.tooLarge, "the store has used up its numbers for schema versions or record types")
    }
  }

  /// Puts what the entries changed in `schemas`, `kinds` and `census`.
  mutating func putRows(in transaction: inout WriteTransaction) throws(AnnalsError) {
    for new in registered {
      let ordinal = UInt64(new.kindRow.ordinal)
      try transaction.put(new.schemaRow.encoded(), ordinal, in: tables.schemas)
      try transaction.put(new.kindRow.encoded(), UInt64(new.kind), in: tables.kinds)
    }
    for (kind, added) in census.sorted(by: { $0.key < $1.key }) {
      var row =
        try StoreReader(transaction.view, tables).row(UInt64(kind), in: tables.census) {
          (bytes) throws(FormatFailure) in try CensusRow(bytes)
        } ?? CensusRow()
      row.add(added)
      try transaction.put(row.encoded(), UInt64(kind), in: tables.census)
    }
  }
}

extension WriteTransaction {
  /// Sets a row of a table with integer keys, with its checksum.
  mutating func put(_ value: [UInt8], _ key: UInt64, in table: Table) throws(AnnalsError) {
    var row = value
    Row.seal(&row, key: key)
    do { try put(row.span, forKey: key, in: table) } catch { throw AnnalsError(error) }
  }

  /// Sets a row of `meta`, with its checksum.
  mutating func put(_ value: [UInt8], _ name: String, in table: Table) throws(AnnalsError) {
    let key = Array(name.utf8)
    do { try put(Row.seal(value, key: key).span, forKey: key.span, in: table) } catch {
      throw AnnalsError(error)
    }
  }
}
