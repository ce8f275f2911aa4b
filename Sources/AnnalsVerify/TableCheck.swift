package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Compares the tables that are derived from the log with the log.
package struct TableCheck: ~Escapable {
  package let reader: StoreReader
  private let kinds: KindRegistry
  private(set) var report: VerifyReport
  /// The number of entries that were looked up in addition to the scans.
  private(set) var lookUps: UInt64 = 0

  @_lifetime(copy reader)
  package init(_ reader: StoreReader, _ kinds: KindRegistry, _ report: VerifyReport) {
    self.reader = reader
    self.kinds = kinds
    self.report = report
  }

  /// Adds an error that reading a derived row threw.
  mutating func add(_ error: AnnalsError, place: String) {
    report.add(error, place: place, repair: .rebuild)
  }

  package mutating func add(_ place: String, _ problem: String, _ repair: Finding.Repair = .rebuild) {
    report.add(Finding(place: place, problem: problem, repair: repair))
  }

  /// Checks `streams`, `heads`, `census`, `kinds` and the checkpoint.
  ///
  /// - Parameters:
  ///   - end: The end of the log and of its rows.
  ///   - log: The totals of the entries.
  package mutating func run(_ end: SnapshotEnd, _ log: borrowing EntryCheck) throws(AnnalsError) {
    if end.checkpoint > end.last {
      add("table 'meta', row 'checkpoint'", "it says \(end.checkpoint), and the log ends at \(end.last)")
    }
    try checkMerge(end)
    checkMoved()
    checkLimits()
    checkErasing(end)
    checkTimes(end)
    let (streams, sound) = try checkStreams(end, log.trails)
    // Each row leads to another first entry: as many as there are, so none lacks a row.
    if sound != log.firsts - log.births { try findRowless(end) }
    let entries = try checkHeads(end, log.tail, log.trails)
    report.streams += log.rowless
    // Sums mean something only where every entry could be read.
    guard !log.hasUnreadable else { return }
    if streams != log.firsts - log.births {
      add(
        "table 'streams'",
        "it has \(streams) rows of streams up to position \(end.checkpoint), and the log has \(log.firsts - log.births)"
      )
    }
    if entries != end.checkpoint {
      add(
        "table 'heads'",
        "its revisions add up to \(entries) entries up to position \(end.checkpoint)")
    }
    try checkCensus(log.census)
    for kind in kinds.kinds.keys.sorted() where !log.registered.contains(kind) {
      add("table 'kinds', key \(kind)", "no entry carries this row")
    }
  }

  /// Reads each row that says where a stream went.
  private mutating func checkMoved() {
    for prefix in [MovedRow.prefix, OriginRow.prefix] {
      do throws(AnnalsError) { try reader.eachFact(prefix, after: nil) { (_, _) in true } } catch {
        report.add(error, place: "table 'meta'")
      }
    }
  }

  /// Compares each limit of a stream with the stream's first entry.
  private mutating func checkLimits() {
    var problems: [(place: String, problem: String)] = []
    let reader = reader
    do throws(AnnalsError) {
      try reader.eachLimit { (id, limit) throws(AnnalsError) in
        let place = "table 'meta', row '\(StreamLimit.name(id))'"
        if try !reader.header(reader.bytes(at: id), at: id).flags.contains(.first) {
          problems.append((place, "no stream begins at position \(id)"))
        }
        return true
      }
    } catch {
      report.add(error, place: "table 'meta'")
    }
    for (place, problem) in problems { add(place, problem, .restore) }
  }

  /// Compares the note of an erasure that is not complete with the end of the log.
  private mutating func checkErasing(_ end: SnapshotEnd) {
    var beyond: UInt64?
    do throws(AnnalsError) {
      let newest = try reader.unfinishedErasure()?.positions.ranges.last?.upperBound
      if let newest, newest > end.last { beyond = newest }
    } catch {
      report.add(error, place: "table 'meta'")
    }
    if let beyond {
      add(
        "table 'meta', row '\(ErasingRow.name)'",
        "it names position \(beyond), and the log ends at \(end.last)",
        .restore)
    }
  }

  /// Compares the times of commits with each other, and with the end of the log.
  private mutating func checkTimes(_ end: SnapshotEnd) {
    var problems: [(place: String, problem: String)] = []
    var failures: [AnnalsError] = []
    var last: CommitTimes.Sample?
    let reader = reader
    do throws(AnnalsError) {
      try reader.eachTimes(from: 1) { (_, chunk) throws(AnnalsError) in
        switch chunk {
        case .failure(let error): failures.append(error)
        case .success(let chunk):
          if let problem = chunk.problem(after: last, last: end.last) {
            problems.append(("table 'meta', row '\(chunk.rowName)'", problem))
          }
          last = chunk.samples.last
        }
        return true
      }
      if try reader.newestTimes()?.samples.last != last, failures.isEmpty {
        problems.append(("table 'meta', row '\(CommitTimes.name)'", "it does not lead to the newest times"))
      }
    } catch {
      failures.append(error)
    }
    for error in failures { report.add(error, place: "table 'meta'", repair: .rebuild) }
    for (place, problem) in problems { add(place, problem) }
  }

  /// Compares the row of a merge that runs with the checkpoint and the end of the log.
  private mutating func checkMerge(_ end: SnapshotEnd) throws(AnnalsError) {
    do throws(AnnalsError) {
      guard let merge = try reader.merge() else { return }
      if merge.position > end.last {
        add("table 'meta', row 'merge'", "it says \(merge.position), and the log ends at \(end.last)")
      }
    } catch {
      report.add(error, place: "table 'meta'")
    }
  }

  /// Compares each row of `streams` with the first entry of its stream.
  ///
  /// - Returns: How many rows of streams there are that began before the tail, and how many of them lead to a
  ///   first entry with the name.
  private mutating func checkStreams(
    _ end: SnapshotEnd, _ trails: borrowing StreamTrails
  ) throws(AnnalsError) -> (rows: UInt64, sound: UInt64) {
    var (count, sound): (UInt64, UInt64) = (0, 0)
    var cursor = try reader.streamsCursor()
    while let row = try cursor.nextRow() {
      report.streams += 1
      var place: String {
        "table 'streams', key '\(String(decoding: row.key.copied.prefix(100), as: UTF8.self))'"
      }
      do throws(AnnalsError) {
        let stream = try StoreReader.open(
          row.value, key: row.key, name: "key '\(String(decoding: row.key.copied, as: UTF8.self))'",
          in: reader.tables.streams
        ) {
          (bytes) throws(FormatFailure) in try StreamRow(bytes)
        }
        let isBeforeTail = stream.id.rawValue <= end.checkpoint
        if isBeforeTail { count += 1 }
        if !trails.confirms(name: StreamHash(row.key), of: stream.id) {
          lookUps += 1
          guard try reader.name(of: stream.id).text.utf8.elementsEqual(row.key.copied) else {
            add(place, "the stream that begins at position \(stream.id) has another name")
            continue
          }
        }
        if isBeforeTail { sound += 1 }
      } catch {
        report.add(error, place: place, repair: .rebuild)
      }
    }
    return (count, sound)
  }

  /// Finds the first entries before the tail that no row of `streams` leads to.
  private mutating func findRowless(_ end: SnapshotEnd) throws(AnnalsError) {
    var cursor = try reader.entriesCursor()
    while let row = try cursor.nextRow(), row.key <= end.checkpoint {
      let position = Position(row.key)
      do throws(AnnalsError) {
        guard try reader.header(row.value, at: position).flags.contains(.first) else { continue }
        lookUps += 2
        if try reader.storedID(of: reader.name(of: position)) == position { continue }
        report.add(
          Finding(
            place: "position \(position)", position: position, problem: EntryCheck.rowElsewhere,
            repair: .rebuild))
      } catch {
        // The scan of the entries has reported one that cannot be read, and the check of the table its rows.
        continue
      }
    }
  }

  /// Compares each row of `heads` with the entries that it leads to.
  ///
  /// A row may be newer than the checkpoint, and is never older than its stream's last entry up to there.
  ///
  /// - Returns: The number of entries that up to the checkpoint the rows speak of.
  private mutating func checkHeads(
    _ end: SnapshotEnd, _ tail: [UInt64: UInt64], _ trails: borrowing StreamTrails
  ) throws(AnnalsError) -> UInt64 {
    var entries: UInt64 = 0
    var cursor = try reader.cursor(in: reader.tables.heads)
    while let row = try cursor.nextRow() {
      let id = Position(row.key)
      var place: String { "table 'heads', key \(id)" }
      do throws(AnnalsError) {
        let head = try StoreReader.open(
          row.value, key: Row.key(row.key).span, name: "key \(id)", in: reader.tables.heads
        ) { (bytes) throws(FormatFailure) in try Head(id: id, bytes) }
        // Hostile rows may say anything; a wrapped sum does not match either.
        let known = head.revision.rawValue &+ 1
        entries &+= min(known, tail[id.rawValue] ?? known)
        if trails.confirms(head) { continue }
        lookUps += UInt64(head.levels.count) + 2
        try checkEntry(at: head.last, is: head.revision, head, place)
        for level in stride(from: 1, through: head.levels.count, by: 1) {
          let multiple = head.revision.rawValue - head.revision.rawValue % Head.step(ofLevel: level)
          try checkEntry(at: head.newest(atLevel: level), is: Revision(multiple), head, place)
        }
        if let newest = head.newestID {
          var touched = 0
          let position = try reader.position(of: newest, from: head, touched: &touched)
          let bytes = try reader.bytes(at: position)
          let entry = try reader.lend(bytes, at: position)
          if !entry.header.flags.contains(.id), try entry.erasedMark == nil {
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
    for kind in Set(stored.keys).union(counted.keys).sorted() {
      // A kind of which all events were erased has a row of zeros, or none.
      let found = stored[kind, default: CensusRow()]
      let wanted = counted[kind, default: CensusRow()]
      if found == wanted { continue }
      add(
        "table 'census', key \(kind)",
        "it says \(found.parts) parts of \(found.bytes) bytes, and the log has \(wanted.parts) of \(wanted.bytes)"
      )
    }
  }
}
