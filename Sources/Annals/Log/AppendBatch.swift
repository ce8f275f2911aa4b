internal import LMDB

/// The entries of one accepted call on their way into the tables, and what they change there.
struct AppendBatch {
  private var heads: [StreamName: Head]
  private(set) var kinds: KindRegistry
  private var position: UInt64
  private let tables: StoreTables
  private var born: [StreamName] = []
  private var touched: Set<StreamName> = []
  private var census: [UInt32: CensusRow] = [:]
  private var registered: [EntryRows.New] = []
  private var positions: [Position] = []
  private var revisions: [Revision] = []
  private var bytes: [UInt8] = []

  /// A batch behind the entry at `last` (0: none), for streams with these heads (absent: new).
  init(heads: [StreamName: Head], kinds: KindRegistry, last: UInt64, tables: StoreTables) {
    self.heads = heads
    self.kinds = kinds
    self.tables = tables
    position = last
  }

  /// Where the entries stand.
  var appended: Appended {
    Appended(positions: positions, revisions: revisions, wasRepeated: false)
  }

  /// Puts every event of `request` and all rows that follow from them.
  mutating func store(
    _ request: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let end = request.parts.reduce(position) { $0 + UInt64($1.events.count) }
    for part in request.parts {
      for event in part.events {
        try store(event, of: part.stream, at: request.time, end: end, in: &transaction)
      }
    }
    try putRows(in: &transaction)
  }

  private mutating func store(
    _ event: AppendRequest.Event, of stream: StreamName, at time: Int64, end: UInt64,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    position += 1
    let place = Position(position)
    let (kind, rows) = try self.kind(of: event, at: place)
    var draft = EntryDraft(
      kind: kind, time: event.time ?? time, stream: .first(stream), revision: 0, isEndOfCall: position == end,
      id: event.id?.bytes, metadata: event.metadata, rows: rows, body: .payload(event.payload))
    if var head = heads[stream] {
      draft.links = head.advance(to: place, hasID: event.id != nil)
      draft.stream = .later(head.id)
      draft.revision = head.revision
      heads[stream] = head
    } else {
      heads[stream] = Head(first: place, hasID: event.id != nil)
      born.append(stream)
    }
    touched.insert(stream)
    census[kind, default: CensusRow()].add(bytes: event.payload.count)
    draft.encode(at: place, into: &bytes)
    do { try transaction.append(bytes.span, forKey: position, in: tables.entries) } catch {
      throw AnnalsError(error)
    }
    positions.append(place)
    revisions.append(draft.revision)
  }

  /// The kind of an event, registered if it is the first of its kind.
  private mutating func kind(
    of event: AppendRequest.Event, at place: Position
  ) throws(AnnalsError) -> (UInt32, EntryRows?) {
    if let known = kinds.undeclaredKind(version: event.version, name: event.type) { return (known, nil) }
    do {
      let new = try kinds.register(version: event.version, name: event.type, first: place)
      registered.append(new)
      return (new.kind, EntryRows(new: [new]))
    } catch {
      throw AnnalsError(.tooLarge, "the store has used up its numbers for schema versions or record types")
    }
  }

  /// Puts what the entries changed, each table in the order of its keys.
  private mutating func putRows(in transaction: inout WriteTransaction) throws(AnnalsError) {
    for new in registered {
      let ordinal = UInt64(new.kindRow.ordinal)
      try put(new.schemaRow.encoded(), ordinal, tables.schemas, &transaction)
      try put(new.kindRow.encoded(), UInt64(new.kind), tables.kinds, &transaction)
    }
    for stream in born.sorted() {
      guard let head = heads[stream] else { continue }
      try put(
        StreamRow(state: .live, id: head.id).encoded(), Array(stream.text.utf8), tables.streams, &transaction)
    }
    for head in touched.compactMap({ heads[$0] }).sorted(by: { $0.id < $1.id }) {
      try put(head.encoded(), head.id.rawValue, tables.heads, &transaction)
    }
    for (kind, added) in census.sorted(by: { $0.key < $1.key }) {
      var row =
        try StoreReader(transaction.view, tables).row(UInt64(kind), in: tables.census) {
          (bytes) throws(FormatFailure) in try CensusRow(bytes)
        } ?? CensusRow()
      // A damaged row that still has its checksum must not stop the process; 'verify' finds it.
      row.parts &+= added.parts
      row.bytes &+= added.bytes
      try put(row.encoded(), UInt64(kind), tables.census, &transaction)
    }
    var meta: [UInt8] = []
    meta.append(varint: position)
    try put(meta, Array(StoreMeta.Name.checkpoint.rawValue.utf8), tables.meta, &transaction)
  }

  private func put(
    _ value: [UInt8], _ key: UInt64, _ table: Table, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    do { try transaction.put(Row.seal(value, key: Row.key(key)).span, forKey: key, in: table) } catch {
      throw AnnalsError(error)
    }
  }

  private func put(
    _ value: [UInt8], _ key: [UInt8], _ table: Table, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    do { try transaction.put(Row.seal(value, key: key).span, forKey: key.span, in: table) } catch {
      throw AnnalsError(error)
    }
  }
}
