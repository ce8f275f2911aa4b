internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Compares the tables that follow from the log with the log.
struct TableCheck: ~Escapable {
  private let reader: StoreReader
  private let kinds: KindRegistry
  private(set) var report: VerifyReport

  @_lifetime(copy reader)
  init(_ reader: StoreReader, _ kinds: KindRegistry, _ report: VerifyReport) {
    self.reader = reader
    self.kinds = kinds
    self.report = report
  }

  private mutating func add(_ place: String, _ problem: String, _ repair: Finding.Repair = .rebuild) {
    report.add(Finding(place: place, problem: problem, repair: repair))
  }

  /// Checks `streams`, `heads`, `census`, `kinds` and the checkpoint.
  ///
  /// - Parameters:
  ///   - last: The newest position.
  ///   - firsts: How many entries are the first of a stream.
  ///   - census: What the entries add up to.
  ///   - registered: The kinds whose rows stand in entries.
  ///   - isWhole: Whether every entry could be read, so that sums can be compared.
  mutating func run(
    last: UInt64, firsts: UInt64, census: [UInt32: CensusRow], registered: Set<UInt32>, isWhole: Bool
  ) throws(AnnalsError) {
    var meta = StoreMeta(log: UUID())
    do { try reader.read(.checkpoint, into: &meta) } catch { report.add(error, place: "table 'meta'") }
    if meta.checkpoint != last {
      add("table 'meta', row 'checkpoint'", "it says \(meta.checkpoint), and the log ends at \(last)")
    }
    let streams = try checkStreams()
    let entries = try checkHeads()
    guard isWhole else { return }
    if streams != firsts {
      add("table 'streams'", "it has \(streams) rows, and the log has \(firsts) streams")
    }
    if entries != last {
      add("table 'heads'", "its revisions add up to \(entries) entries, and the log has \(last)")
    }
    try checkCensus(census)
    for kind in kinds.kinds.keys.sorted() where !registered.contains(kind) {
      add("table 'kinds', key \(kind)", "no entry carries this row")
    }
  }

  /// Compares each row of `streams` with the first entry of its stream.
  private mutating func checkStreams() throws(AnnalsError) -> UInt64 {
    var count: UInt64 = 0
    var cursor = try reader.streamsCursor()
    while let row = try cursor.nextRow() {
      count += 1
      let key = row.key.copied
      let place = "table 'streams', key '\(String(decoding: key.prefix(100), as: UTF8.self))'"
      do throws(AnnalsError) {
        let stream = try StoreReader.open(
          row.value, key: row.key, name: "key '\(String(decoding: key, as: UTF8.self))'",
          in: reader.tables.streams
        ) {
          (bytes) throws(FormatFailure) in try StreamRow(bytes)
        }
        if try !reader.name(of: stream.id).text.utf8.elementsEqual(key) {
          add(place, "the stream that begins at position \(stream.id) has another name")
        }
      } catch {
        report.add(error, place: place, repair: .rebuild)
      }
    }
    report.streams = count
    return count
  }

  /// Compares each row of `heads` with the entries that it leads to, and adds up how many entries the rows speak of.
  private mutating func checkHeads() throws(AnnalsError) -> UInt64 {
    var entries: UInt64 = 0
    var cursor = try reader.cursor(in: reader.tables.heads)
    while let row = try cursor.nextRow() {
      let id = Position(row.key)
      let place = "table 'heads', key \(id)"
      do throws(AnnalsError) {
        let head = try StoreReader.open(
          row.value, key: Row.key(row.key).span, name: "key \(id)", in: reader.tables.heads
        ) { (bytes) throws(FormatFailure) in try Head(id: id, bytes) }
        // Hostile rows may say anything; a wrapped sum does not match either.
        entries &+= head.revision.rawValue &+ 1
        try checkEntry(at: head.last, is: head.revision, head, place)
        for level in stride(from: 1, through: head.levels.count, by: 1) {
          let multiple = head.revision.rawValue - head.revision.rawValue % Head.step(ofLevel: level)
          try checkEntry(at: head.newest(atLevel: level), is: Revision(multiple), head, place)
        }
        if let newest = head.newestID {
          var touched = 0
          let position = try reader.position(of: newest, from: head, touched: &touched)
          let bytes = try reader.bytes(at: position)
          if try !reader.header(bytes, at: position).flags.contains(.id) {
            add(place, "the entry at position \(position) should have an event id and has none")
          }
        }
      } catch {
        report.add(error, place: place, repair: .rebuild)
      }
    }
    return entries
  }

  private mutating func checkEntry(
    at position: Position, is revision: Revision, _ head: Head, _ place: String
  ) throws(AnnalsError) {
    let header = try reader.header(try reader.bytes(at: position), at: position)
    if header.revision != revision || header.stream != head.id {
      add(place, "it leads to position \(position), which is not revision \(revision) of the stream")
    }
  }

  /// Compares `census` with what the entries add up to.
  private mutating func checkCensus(_ counted: [UInt32: CensusRow]) throws(AnnalsError) {
    let stored: [UInt32: CensusRow]
    do { stored = try reader.census() } catch { return report.add(error, place: "table 'census'") }
    for kind in Set(stored.keys).union(counted.keys).sorted() where stored[kind] != counted[kind] {
      let found = stored[kind, default: CensusRow()]
      let wanted = counted[kind, default: CensusRow()]
      add(
        "table 'census', key \(kind)",
        "it says \(found.parts) parts of \(found.bytes) bytes, and the log has \(wanted.parts) of \(wanted.bytes)"
      )
    }
  }
}
