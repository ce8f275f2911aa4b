internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import LMDB

/// Reads the facts of a generation that a repair needs, and makes the stubs for lost entries.
struct RepairScan: ~Escapable {
  private let reader: StoreReader
  private let kinds: KindRegistry
  private(set) var lost = LostEntries()
  private var missing = 0
  /// The names of streams whose first entry is lost, by its position.
  private var names: [UInt64: [UInt8]] = [:]
  /// The time of the first sound entry.
  private var firstTime: Int64?

  /// Creates a scan of the contents of `reader`.
  @_lifetime(copy reader)
  init(_ reader: StoreReader) throws(AnnalsError) {
    self.reader = reader
    kinds = try reader.kinds()
  }

  /// Reads all that is needed.
  mutating func run() throws(AnnalsError) {
    try findLost()
    guard !lost.isEmpty else { return }
    try readRows()
    lost.beginWalk()
    try eachSound { (lost, place, position) throws(LostEntriesFailure) in try lost.see(place, at: position) }
    do throws(LostEntriesFailure) { try lost.endWalk() } catch { throw AnnalsError(error) }
    guard lost.needsTargets else { return }
    try eachSound { (lost, place, position) throws(LostEntriesFailure) in lost.reach(place, at: position) }
  }

  /// Looks for entries that cannot be read, and for what leads to them.
  private mutating func findLost() throws(AnnalsError) {
    var cursor = try reader.entriesCursor()
    var (expected, time, kind): (UInt64, Int64?, UInt32?) = (1, nil, nil)
    while let row = try cursor.nextRow() {
      while expected < row.key {
        try lose(expected, "the entry is missing", time, kind)
        missing += 1
        expected += 1
      }
      let position = Position(row.key)
      expected = row.key &+ 1
      let header: EntryHeader
      do throws(FormatFailure) { header = try EntryHeader(row.value, at: position) } catch {
        // Entries of a later library are not damaged.
        guard error.reason != .laterFormat, error.reason != .unknownFeature else {
          throw AnnalsError(error, place: "position \(position)", position: position)
        }
        try lose(row.key, error.description, time, kind)
        continue
      }
      time = header.time
      if firstTime == nil { firstTime = header.time }
      if header.kind != 0 { kind = header.kind }
      if !lost.isEmpty { try claim(header, row.value, position) }
    }
  }

  private mutating func lose(
    _ position: UInt64, _ problem: String, _ time: Int64?, _ kind: UInt32?
  ) throws(AnnalsError) {
    do throws(LostEntriesFailure) {
      try lost.lose(position, LostEntries.Loss(problem: problem, time: time, kind: kind))
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Notes what an entry's links and its stream say of lost ones.
  private mutating func claim(
    _ header: EntryHeader, _ bytes: Span<UInt8>, _ position: Position
  ) throws(AnnalsError) {
    let stream = header.stream.rawValue
    try claim(stream, stream, 0)
    for level in 0..<Head.levels(dividing: header.revision) {
      let target = try reader.linked(header, level: level, from: position, in: bytes)
      try claim(target.rawValue, stream, header.revision.rawValue - Head.step(ofLevel: level))
    }
  }

  private mutating func claim(
    _ position: UInt64, _ stream: UInt64, _ revision: UInt64
  ) throws(AnnalsError) {
    do throws(LostEntriesFailure) {
      try lost.claim(position, LostEntries.Place(stream: stream, revision: revision))
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Notes what the rows of `streams` and `heads` say of lost entries.
  private mutating func readRows() throws(AnnalsError) {
    var streams = try reader.streamsCursor()
    while let row = try streams.nextRow() {
      guard let stream = Self.stream(row.value, key: row.key), stream.state == .live,
        lost.losses[stream.id.rawValue] != nil
      else { continue }
      names[stream.id.rawValue] = row.key.copied
      try claim(stream.id.rawValue, stream.id.rawValue, 0)
    }
    var heads = try reader.cursor(in: reader.tables.heads)
    while let row = try heads.nextRow() {
      let id = row.key
      guard let head = Self.head(row.value, id: id) else { continue }
      try claim(head.last.rawValue, id, head.revision.rawValue)
      for level in stride(from: 1, through: head.levels.count, by: 1) {
        let multiple = head.revision.rawValue - head.revision.rawValue % Head.step(ofLevel: level)
        try claim(head.newest(atLevel: level).rawValue, id, multiple)
      }
    }
  }

  private static func stream(_ value: Span<UInt8>, key: Span<UInt8>) -> StreamRow? {
    // An unreadable row has no facts. The verification has reported it, and all rows are rebuilt.
    do throws(FormatFailure) {
      return try StreamRow(value.extracting(try Row.open(value, key: key)))
    } catch { return nil }
  }

  private static func head(_ value: Span<UInt8>, id: UInt64) -> Head? {
    do throws(FormatFailure) {
      return try Head(id: Position(id), value.extracting(try Row.open(value, key: Row.key(id).span)))
    } catch { return nil }
  }

  /// Shows each sound entry.
  private mutating func eachSound(
    _ body: (inout LostEntries, LostEntries.Place, UInt64) throws(LostEntriesFailure) -> Void
  ) throws(AnnalsError) {
    var cursor = try reader.entriesCursor()
    while let row = try cursor.nextRow() {
      guard lost.losses[row.key] == nil else { continue }
      let header = try reader.header(row.value, at: Position(row.key))
      let place = LostEntries.Place(stream: header.stream.rawValue, revision: header.revision.rawValue)
      do throws(LostEntriesFailure) { try body(&lost, place, row.key) } catch { throw AnnalsError(error) }
    }
  }
}

// The results.
extension RepairScan {
  /// The lost entries as a report lists them.
  func entries() throws(AnnalsError) -> [RepairReport.Entry] {
    var entries: [RepairReport.Entry] = []
    for position in lost.positions {
      let place = lost.places[position]
      entries.append(
        RepairReport.Entry(
          position: Position(position), problem: lost.losses[position]?.problem ?? "",
          stream: try name(ofStreamAt: place?.stream ?? position), revision: Revision(place?.revision ?? 0),
          isKnown: place != nil, isFitted: lost.fitted.contains(position)))
    }
    return entries
  }

  /// Stubs for the lost entries.
  func patch(generation: UInt64) throws(AnnalsError) -> EntryPatch {
    var entries: [UInt64: [UInt8]] = [:]
    var kind: UInt32?
    for position in lost.positions {
      guard let loss = lost.losses[position] else { continue }
      let known = try self.kind(at: position, near: loss.kind ?? kind)
      kind = known
      entries[position] = try stub(at: position, loss, known)
    }
    return EntryPatch(generation: generation, entries: entries, missing: missing)
  }

  /// The kind of a stub: the one whose first entry it was, else that of the entry before it, which occurs by
  /// then.
  private func kind(at position: UInt64, near neighbour: UInt32?) throws(AnnalsError) -> UInt32 {
    let own = kinds.kinds.values.filter { $0.row.first.rawValue == position }.map(\.number).min()
    let first = kinds.kinds.values.min { ($0.row.first, $0.number) < ($1.row.first, $1.number) }
    if let kind = own ?? neighbour ?? first?.number { return kind }
    throw AnnalsError(
      .damaged, "table 'kinds' is empty, and the log is not; restore the store from a backup",
      details: AnnalsError.Details { $0.table = "kinds" })
  }

  private func stub(
    at position: UInt64, _ loss: LostEntries.Loss, _ kind: UInt32
  ) throws(AnnalsError) -> [UInt8] {
    let place = lost.places[position] ?? LostEntries.Place(stream: position, revision: 0)
    let isFirst = place.revision == 0
    let name = isFirst ? try Array(self.name(ofStreamAt: position).text.utf8) : []
    var body: [UInt8] = []
    Stub(cause: .quarantined, reason: "the entry could not be read: \(loss.problem)").append(to: &body)
    let nothing: [UInt8] = []
    var draft = EntryDraft(
      kind: kind, time: loss.time ?? firstTime ?? 0, name: name.span, metadata: nothing.span,
      rows: nothing.span, body: body.span, form: .stub)
    draft.stream = isFirst ? 0 : place.stream
    draft.revision = Revision(place.revision)
    do throws(LostEntriesFailure) { draft.links = try lost.links(of: position) } catch {
      throw AnnalsError(error)
    }
    // It is unknown whether more of its call was lost, so later entries are not taken for the same call.
    draft.isEndOfCall = true
    return draft.encoded(at: Position(position))
  }

  /// The name of the stream whose first entry is at `id`, lost or not.
  private func name(ofStreamAt id: UInt64) throws(AnnalsError) -> StreamName {
    if lost.losses[id] == nil { return try reader.name(of: Position(id)) }
    if let name = names[id] {
      let text = String(decoding: name, as: UTF8.self)
      if text.utf8.elementsEqual(name), NameRule.allows(text) { return StreamName(text) }
    }
    return SystemEntry.lostName(of: Position(id))
  }
}

extension AnnalsError {
  /// What cannot be repaired.
  init(_ failure: LostEntriesFailure) {
    let place = failure.position.map { "position \($0): " } ?? ""
    self.init(
      .damaged, "\(place)\(failure.problem); this cannot be repaired: restore the store from a backup",
      details: Details {
        $0.position = failure.position.map { Position($0) }
        $0.problem = failure.problem
      })
  }
}
