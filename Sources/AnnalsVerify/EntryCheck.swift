package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
package import LMDB

/// Compares every entry of the log with docs/format.md, and computes the totals that the other tables must
/// have.
package struct EntryCheck: ~Copyable, ~Escapable {
  let reader: StoreReader
  private let kinds: KindRegistry
  /// The position up to which the rows of `streams` and `heads` must be complete.
  let checkpoint: UInt64
  /// The index of event ids, and the number of its rows that an entry has confirmed.
  private(set) var index: IDIndexCheck
  /// The chains of tags so far.
  private(set) var tags: TagCheck
  package var report: VerifyReport
  /// The expected `census`.
  private(set) var census: [UInt32: CensusRow] = [:]
  /// The number of entries that are the first of their stream.
  var firsts: UInt64 = 0
  /// The number of them in the tail, where a stream need not have a row yet.
  var births: UInt64 = 0
  /// The number of those without a row.
  var rowless: UInt64 = 0
  /// The first revision that each stream has in the tail, by the stream's id.
  var tail: [UInt64: UInt64] = [:]
  /// The newest entry of each stream so far.
  var trails = StreamTrails()
  /// Entries that the trails do not know yet.
  var passed: [PassedEntry] = []
  /// The number of rows and entries that were looked up in addition to the scan.
  package var lookUps: UInt64 = 0
  /// Kinds that were registered by an entry.
  private(set) var registered: Set<UInt32> = []
  /// Whether an entry could not be read, so that totals of the log mean little.
  private(set) var hasUnreadable = false

  @_lifetime(copy reader)
  package init(
    _ reader: StoreReader, _ kinds: KindRegistry, checkpoint: UInt64, _ index: IDIndexCheck, tags: Table?,
    _ report: VerifyReport
  ) {
    self.tags = TagCheck(tags, isExpected: kinds.hasTags)
    self.index = index
    self.reader = reader
    self.checkpoint = checkpoint
    self.kinds = kinds
    self.report = report
  }

  mutating func add(_ position: Position, _ problem: String, _ repair: Finding.Repair = .restore) {
    report.add(Finding(place: "position \(position)", position: position, problem: problem, repair: repair))
  }

  /// Reads every entry.
  package mutating func run(last: UInt64, _ progress: (UInt64, UInt64) -> Void) throws(AnnalsError) {
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
    follow()
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
    checkBody(bytes, header, position)
    checkRows(bytes, header, position)
    let name = checkStream(bytes, header, position)
    pass(PassedEntry(header, position, links(in: bytes, header, position), name))
    do throws(AnnalsError) {
      if let problem = try index.check(bytes, header, position, reader) { add(position, problem, .rebuild) }
      for problem in try tags.check(bytes, header, position, reader) { add(position, problem, .rebuild) }
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
    if header.flags.isDisjoint(with: .otherBodies) {
      count(header.kind, bytes: header.body.count, isQuarantined)
      checkPayload(bytes.extracting(header.body), kind: header.kind, position)
      return
    }
    do throws(FormatFailure) {
      switch try EntryBody(bytes, header: header) {
      case .payload: break
      case .stub(let stub):
        if header.isSystem {
          if stub.cause != .system { add(position, "an entry without a kind is no system entry") }
        } else if stub.cause == .quarantined {
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

  /// Counts a part, which a pass may have quarantined.
  private mutating func count(_ kind: UInt32, bytes: Int, _ isQuarantined: Bool) {
    if isQuarantined {
      census[kind, default: CensusRow()].quarantined += 1
    } else {
      census[kind, default: CensusRow()].add(bytes: bytes)
    }
  }

  /// Checks the mark of a quarantined entry.
  ///
  /// - Returns: Whether the entry was quarantined.
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

  /// Compares the rows in a kind's first entry with the tables.
  private mutating func checkRows(_ bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position) {
    if let kind = kinds.kinds[header.kind], kind.row.first == position, !header.flags.contains(.rows) {
      add(position, "the first entry of kind \(header.kind) does not carry its row")
    }
    guard header.flags.contains(.rows) else { return }
    do throws(FormatFailure) {
      for new in try EntryRows(bytes, at: header.rows).new {
        registered.insert(new.kind)
        var row = kinds.kinds[new.kind]?.row
        // It may have been noted later, and the next writer notes it again in a rebuilt table.
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
}
