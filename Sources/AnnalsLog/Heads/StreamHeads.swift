package import AnnalsCoding
package import AnnalsFormat
internal import LMDB
import Synchronization

/// The heads of streams, shared by all users of a log in this process.
///
/// Readers hold the lock for a microsecond; the writer holds it for some hundred entries at a time.
package final class StreamHeads: Sendable {
  /// The number of entries read at a time to follow a tail.
  private static let run: UInt64 = 1024

  private let table: Mutex<HeadTable>
  /// Held while a tail is read, so that threads that need the same tail do not all read it.
  private let reading = Mutex(())

  /// Creates the heads of a log whose rows suffice up to `checkpoint`.
  ///
  /// - Parameter limit: The number of heads beyond which heads are evicted, except those of the tail.
  init(checkpoint: UInt64, limit: Int) {
    table = Mutex(HeadTable(checkpoint: checkpoint, limit: limit))
  }

  /// Calls `body` with the table.
  package func withTable<Result, Failure: Error>(
    _ body: (inout HeadTable) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try table.withLock { (table) throws(Failure) in try body(&table) }
  }

  /// Adds the entries of a snapshot that the table does not know yet, from any writer.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` and the position if an entry cannot be read.
  package func follow(_ end: SnapshotEnd, _ reader: StoreReader) throws(AnnalsError) {
    if table.withLock({ $0.last < end.last }) {
      try reading.withLock { (_) throws(AnnalsError) in while try takeRun(end, reader) {} }
    }
    table.withLock { $0.follow(checkpoint: end.checkpoint) }
  }

  /// Adds the next entries of a snapshot, and returns whether there were any.
  private func takeRun(_ end: SnapshotEnd, _ reader: StoreReader) throws(AnnalsError) -> Bool {
    let start = table.withLock { table in
      if end.checkpoint > table.last { table.reset(to: end.checkpoint) }
      return table.last + 1
    }
    guard start <= end.last else { return false }
    let facts = try reader.facts(start...min(end.last, start + Self.run - 1))
    if let wrong = table.withLock({ $0.take(facts) }) {
      throw AnnalsError(
        wrongEntry: Position(wrong.position),
        expected: "the next revision of the stream at \(wrong.stream)",
        found: "revision \(wrong.revision)")
    }
    return true
  }
}

extension StoreReader {
  /// Returns the end of the snapshot.
  package func end() throws(AnnalsError) -> SnapshotEnd {
    let last = try last()
    let end = SnapshotEnd(checkpoint: try checkpoint(), last: last)
    guard end.checkpoint <= last else {
      throw AnnalsError(
        .damaged,
        "table 'meta': the stream heads are written up to \(end.checkpoint), and the log ends at \(last); run 'annals verify'",
        details: AnnalsError.Details { $0.table = "meta" })
    }
    return end
  }

  /// Returns the position up to which the rows of `streams` and `heads` are complete.
  package func checkpoint() throws(AnnalsError) -> UInt64 {
    let found = try row(StoreMeta.Name.checkpoint.rawValue, in: tables.meta) {
      (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      let checkpoint = try reader.number()
      try reader.finish()
      return checkpoint
    }
    guard let found else { throw AnnalsError(missingMeta: StoreMeta.Name.checkpoint.rawValue) }
    return found
  }

  /// The merge that runs, if any.
  package func merge() throws(AnnalsError) -> MergeRow? {
    try row(MergeRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in try MergeRow(bytes) }
  }

  /// Returns the facts about their streams' heads in the entries of a range of positions.
  func facts(_ positions: ClosedRange<UInt64>) throws(AnnalsError) -> [TailFact] {
    var facts: [TailFact] = []
    facts.reserveCapacity(positions.count)
    var cursor = try entriesCursor()
    for position in positions {
      let row: IntegerRow?
      do {
        row = try position == positions.lowerBound ? cursor.seek(position) : cursor.next()
      } catch {
        throw AnnalsError(error)
      }
      guard let row, row.key == position else { throw AnnalsError(missing: Position(position)) }
      let header = try header(row.value, at: Position(position))
      facts.append(
        TailFact(
          position: position, stream: header.stream.rawValue, revision: header.revision.rawValue,
          previous: header.flags.contains(.first)
            ? 0 : try linked(header, level: 0, from: Position(position), in: row.value).rawValue,
          hasID: header.flags.contains(.id),
          hash: header.flags.contains(.first) ? StreamHash(row.value.extracting(header.name)) : nil,
          size: row.value.count))
    }
    return facts
  }
}

extension HeadTable {
  /// Completes a head from its row, unless it is whole.
  mutating func complete(_ slot: Int, from reader: StoreReader) throws(AnnalsError) {
    guard slots.isPartial(slot) else { return }
    let row = try reader.storedHead(id: Position(slots.id(slot)))
    try row.mustNotBeNewer(than: Revision(slots.revision(slot)), at: Position(slots.last(slot)))
    complete(slot, with: row)
  }
}
