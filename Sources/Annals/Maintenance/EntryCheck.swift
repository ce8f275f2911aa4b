internal import AnnalsCoding
internal import LMDB

/// Compares every entry of the log with what docs/format.md says of it, and adds up what the other tables must say.
struct EntryCheck: ~Escapable {
  private let reader: StoreReader
  private let kinds: KindRegistry
  /// Up to where the rows of `streams` and `heads` must suffice.
  private let checkpoint: UInt64
  /// The index of event ids, and how many of its rows an entry has confirmed.
  private(set) var index: IDIndexCheck
  private(set) var report: VerifyReport
  /// What `census` must say.
  private(set) var census: [UInt32: CensusRow] = [:]
  /// How many entries are the first of their stream.
  private(set) var firsts: UInt64 = 0
  /// How many of them stand in the tail, where a stream need not have a row yet.
  private(set) var births: UInt64 = 0
  /// How many of those have no row yet.
  private(set) var rowless: UInt64 = 0
  /// The first revision that each stream has in the tail, by the stream's id.
  private(set) var tail: [UInt64: UInt64] = [:]
  /// The newest entry of each stream so far.
  private(set) var trails = StreamTrails()
  /// How many rows and entries were looked up in addition to the scan.
  private(set) var lookUps: UInt64 = 0
  /// Kinds that were registered by an entry.
  private(set) var registered: Set<UInt32> = []
  /// Whether an entry could not be read, so that sums over the log mean little.
  private(set) var hasUnreadable = false

  @_lifetime(copy reader)
  init(
    _ reader: StoreReader, _ kinds: KindRegistry, checkpoint: UInt64, _ index: IDIndexCheck,
    _ report: VerifyReport
  ) {
    self.index = index
    self.reader = reader
    self.checkpoint = checkpoint
    self.kinds = kinds
    self.report = report
  }

  private mutating func add(_ position: Position, _ problem: String, _ repair: Finding.Repair = .restore) {
    report.add(Finding(place: "position \(position)", position: position, problem: problem, repair: repair))
  }

  /// Reads every entry.
  mutating func run(last: UInt64, _ progress: (UInt64, UInt64) -> Void) throws(AnnalsError) {
    var cursor = try reader.entriesCursor()
    var expected: UInt64 = 1
    var endsCall = true
    while true {
      guard let row = try cursor.nextRow() else { break }
      if row.key != expected {
        hasUnreadable = true
        let missing = expected + 1 == row.key ? "the entry is" : "the entries up to \(row.key &- 1) are"
        add(Position(expected), "\(missing) missing")
      }
      endsCall = entry(row.value, at: Position(row.key))
      report.entries += 1
      expected = row.key &+ 1
      if report.entries % 65_536 == 0 { progress(report.entries, last) }
    }
    if !endsCall { add(Position(last), "the last entry does not end its append call") }
  }

  /// Checks one entry.
  ///
  /// - Returns: Whether it ends its append call, as far as can be read.
  private mutating func entry(_ bytes: Span<UInt8>, at position: Position) -> Bool {
    let header: EntryHeader
    do { header = try reader.header(bytes, at: position) } catch {
      hasUnreadable = true
      report.add(error, place: "position \(position)", position: position)
      return true
    }
    let targets = trails.advance(to: header, at: position)
    checkBody(bytes, header, position)
    checkRows(bytes, header, position)
    checkStream(bytes, header, position)
    checkLinks(bytes, header, position, targets)
    do throws(AnnalsError) {
      if let problem = try index.check(bytes, header, position, reader) { add(position, problem, .rebuild) }
    } catch {
      report.add(error, place: "position \(position)", position: position, repair: .rebuild)
    }
    return header.flags.contains(.endOfCall)
  }

  private mutating func checkBody(_ bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position) {
    if header.kind != 0, kinds.kinds[header.kind] == nil {
      add(position, "the store knows no kind \(header.kind)", .rebuild)
    }
    do {
      if !header.metadata.isEmpty { _ = try Metadata(encoded: bytes.extracting(header.metadata)) }
    } catch {
      add(position, "the metadata is not valid: \(error)")
    }
    let isQuarantined = checkMark(bytes, header, position)
    if header.flags.isDisjoint(with: [.parts, .stub]) {
      count(header.kind, bytes: header.body.count, isQuarantined)
      checkPayload(bytes.extracting(header.body), kind: header.kind, position)
      return
    }
    do throws(FormatFailure) {
      switch try EntryBody(bytes, header: header) {
      case .payload: break
      case .stub(let stub):
        if stub.cause == .quarantined {
          census[header.kind, default: CensusRow()].quarantined += 1
        } else {
          census[header.kind, default: CensusRow()].stubs += 1
        }
      case .parts(let parts):
        for part in parts {
          count(part.kind, bytes: part.payload.count, isQuarantined)
          checkPayload(part.payload.span, kind: part.kind, position)
        }
      }
    } catch {
      add(position, error.description)
    }
  }

  /// Counts a part, which a pass may have set aside.
  private mutating func count(_ kind: UInt32, bytes: Int, _ isQuarantined: Bool) {
    if isQuarantined {
      census[kind, default: CensusRow()].quarantined += 1
    } else {
      census[kind, default: CensusRow()].add(bytes: bytes)
    }
  }

  /// Checks what stands beside an entry that was set aside.
  ///
  /// - Returns: Whether it was.
  private mutating func checkMark(
    _ bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position
  ) -> Bool {
    guard header.flags.contains(.extensions) else { return false }
    do throws(FormatFailure) {
      guard let mark = try EntryExtensions(bytes, header)[QuarantineMark.key] else { return false }
      _ = try QuarantineMark(mark.span)
    } catch {
      add(position, "why the entry was set aside cannot be read: \(error)")
    }
    return true
  }

  private mutating func checkPayload(_ payload: Span<UInt8>, kind: UInt32, _ position: Position) {
    do throws(CodingFailure) {
      let form = try PayloadCheck.validate(payload)
      guard let shape = kinds.kinds[kind]?.row.shape else { return }
      if form != (shape == .undeclared ? .map : .array) {
        add(position, "the payload is neither a record by name nor one by shape, as its kind is")
      }
    } catch {
      add(position, "the payload is not valid: \(error)")
    }
  }

  /// Compares the rows that a kind's first entry carries with the tables.
  private mutating func checkRows(_ bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position) {
    if let kind = kinds.kinds[header.kind], kind.row.first == position, !header.flags.contains(.rows) {
      add(position, "the first entry of kind \(header.kind) does not carry its row")
    }
    guard header.flags.contains(.rows) else { return }
    do throws(FormatFailure) {
      for new in try EntryRows(bytes, at: header.rows).new {
        registered.insert(new.kind)
        var row = kinds.kinds[new.kind]?.row
        // It may have been noted later, and is noted again by whoever writes to a table that was rebuilt.
        if new.kindRow.oldestReader == nil { row?.oldestReader = nil }
        if row != new.kindRow {
          add(position, "table 'kinds' says something else of kind \(new.kind)", .rebuild)
        }
        if kinds.schemas[new.kindRow.ordinal]?.version != new.schemaRow.version {
          add(position, "table 'schemas' says something else of ordinal \(new.kindRow.ordinal)", .rebuild)
        }
      }
    } catch {
      add(position, error.description)
    }
  }

  private mutating func checkStream(_ bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position) {
    let isInTail = position.rawValue > checkpoint
    if isInTail, tail[header.stream.rawValue] == nil {
      tail[header.stream.rawValue] = header.revision.rawValue
    }
    do throws(AnnalsError) {
      if header.flags.contains(.first) {
        firsts += 1
        if isInTail { births += 1 }
        lookUps += 2
        let name = try reader.name(of: position)
        guard NameRule.allows(name.text) else { return add(position, "the stream's name is not allowed") }
        let row = try reader.row(name.text, in: reader.tables.streams) { (bytes) throws(FormatFailure) in
          try StreamRow(bytes)
        }
        if isInTail, row == nil { rowless += 1 }
        if row?.id != position, row != nil || !isInTail {
          add(position, "table 'streams' does not lead from the stream's name to here", .rebuild)
        }
      }
      if header.flags.contains(.id), !isInTail {
        if try newestID(of: header.stream) <= header.revision.rawValue {
          add(position, "table 'heads' says that the stream's newest event id is older", .rebuild)
        }
      }
    } catch {
      report.add(error, place: "position \(position)", position: position)
    }
  }

  /// What the row of `heads` says of a stream's newest id: its revision plus 1, or 0 for none.
  private mutating func newestID(of stream: Position) throws(AnnalsError) -> UInt64 {
    if let known = trails.storedID(of: stream) { return known }
    lookUps += 1
    let newest = try reader.storedHead(id: stream).newestID
    trails.remember(storedID: newest, of: stream)
    return newest.map { $0.rawValue + 1 } ?? 0
  }

  private mutating func checkLinks(
    _ bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position, _ targets: EntryLinks
  ) {
    for level in 0..<Head.levels(dividing: header.revision)
    where Head.step(ofLevel: level) <= header.revision.rawValue {
      do throws(FormatFailure) {
        let target = try header.linked(level: level, from: position, in: bytes)
        // The entry there has been read, and was the one that is meant.
        if target.rawValue == targets[level] { continue }
        checkTarget(target, Revision(header.revision.rawValue - Head.step(ofLevel: level)), header, position)
      } catch {
        add(position, error.description)
      }
    }
  }

  private mutating func checkTarget(
    _ target: Position, _ revision: Revision, _ header: EntryHeader, _ position: Position
  ) {
    lookUps += 1
    do throws(AnnalsError) {
      let found = try reader.header(try reader.bytes(at: target), at: target)
      guard found.revision == revision, found.stream == header.stream else {
        return add(
          position, "a link leads to position \(target), which is not revision \(revision) of the same stream"
        )
      }
    } catch {
      add(position, "a link leads to position \(target), which cannot be read")
    }
  }
}
