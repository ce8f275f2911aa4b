internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsMigration
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsVerify
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Finds the lines of an import that are in the log already, by their ids.
///
/// A line with an id is known if its stream has an entry with that id, wherever the entry is. The next entry
/// after the last known line is compared first, so lines in the order of their entries cost one entry each.
///
/// A line whose id is not in its stream is refused if a pass has moved entries of the stream to others, and
/// so is a line whose id is among entries that a pass has merged from several streams. Neither is certain to
/// be new or known.
///
/// An id that is elsewhere, or nowhere, is searched in the store's index of ids. Without an index, the ids of
/// the whole stream are kept in memory. A line without an id is known only if it follows a known line and
/// equals the entry that follows.
struct KnownLines {
  private let log: EventLog
  /// The generation that the rest is about; a pass may move entries to other streams.
  private var generation: UInt64 = 0
  private var memory: IDMemory
  /// The store's own index of ids, which takes the place of the memory; `nil` if it has none.
  private var index: Table?
  /// By a stream's first position, how many of its entries are in the memory.
  private var kept: [UInt64: UInt64] = [:]
  /// The streams whose last line was known, and the revision at which the next one is expected.
  private var expected: [StreamName: UInt64] = [:]
  /// The streams of the lines, in the snapshot.
  private var places: [StreamName: Place] = [:]

  /// A stream in the snapshot.
  private struct Place {
    var head: Head?
    /// The position up to which a pass may have merged entries of other streams into it.
    var mergedUpTo: Position?
    /// The streams to which a pass has moved entries of it.
    var moved: [StreamName] = []
  }

  /// Compares lines with the entries of `log`, keeping at most `limit` ids in memory.
  init(_ log: EventLog, limit: Int = IDMemory.limit) {
    self.log = log
    memory = IDMemory(limit: limit)
  }

  /// Removes the known lines from `batch`.
  ///
  /// - Returns: The number of lines that were known, and the state of the log in which the others were not.
  /// - Throws: ``AnnalsError`` with code `tooLarge` if more ids would have to be kept in memory than the
  ///   limit allows.
  /// - Complexity: O(log of the stream's length) a line; each entry of a stream is read once at most to keep
  ///   its id.
  mutating func remove(
    from batch: inout ImportBatch
  ) throws(AnnalsError) -> (count: UInt64, sight: LogSight) {
    // Taken before the snapshot: a table that is opened later cannot be read in it.
    let opened = log.core.generation
    let index = opened.environment.ids
    return try log.read { (snapshot) throws(AnnalsError) in
      self.index = nil
      if snapshot.generation === opened, try snapshot.reader.idempotency() == .always { self.index = index }
      let sight = LogSight(generation: snapshot.generation.number, last: try snapshot.reader.last())
      if sight.generation != generation {
        generation = sight.generation
        memory = memory.emptied()
        kept = [:]
        expected = [:]
      }
      places = [:]
      guard sight.last > 0, batch.hasIDs || !expected.isEmpty else { return (0, sight) }
      let count = try batch.remove { (event, stream, number) throws(AnnalsError) in
        do throws(AnnalsError) { return try isKnown(event, stream, snapshot) } catch {
          throw error.inLine(number)
        }
      }
      return (count, sight)
    }
  }

  private mutating func isKnown(
    _ event: AppendRequest.Event, _ stream: StreamName, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> Bool {
    let place = try place(of: stream, snapshot)
    if try isExpected(event, of: stream, place, snapshot) { return true }
    expected[stream] = nil
    guard let id = event.id else { return false }
    if let head = place.head, head.newestID != nil, let revision = try revision(of: id, in: head, snapshot) {
      if let merged = place.mergedUpTo {
        var touched = 0
        let position = try snapshot.reader.position(of: revision, from: head, touched: &touched)
        if position <= merged { throw AnnalsError(merged: id, stream) }
      }
      expected[stream] = revision.rawValue + 1
      return true
    }
    guard place.moved.isEmpty else { throw AnnalsError(AppendVerdict.moved(stream, to: place.moved)) }
    return false
  }

  private mutating func place(
    of stream: StreamName, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> Place {
    if let known = places[stream] { return known }
    var found = Place(head: try snapshot.head(of: stream))
    if try snapshot.generation.hasMoved(in: snapshot.reader) {
      found.mergedUpTo = try snapshot.reader.mergedUpTo(stream)
      found.moved = try snapshot.moved(from: stream)
    }
    places[stream] = found
    return found
  }

  /// Whether the line is the entry that follows the last known one of its stream, or the first entry where
  /// none is known.
  private mutating func isExpected(
    _ event: AppendRequest.Event, of stream: StreamName, _ place: Place, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> Bool {
    // The index finds an id faster than the way to its entry.
    if event.id != nil, index != nil { return false }
    guard let head = place.head, head.newestID != nil else { return false }
    var revision: UInt64 = 0
    if let next = expected[stream] {
      revision = next
    } else if event.id == nil || kept[head.id.rawValue] != nil {
      return false
    }
    guard revision <= head.revision.rawValue else { return false }
    var touched = 0
    let found = try snapshot.reader.walk(revision...revision, of: head, touched: &touched) {
      (bytes, header, position) throws(AnnalsError) in
      guard let id = event.id else {
        guard header.flags.isDisjoint(with: [.id, .parts, .stub]) else { return false }
        let reading = EntryReading(kinds: snapshot.kinds)
        let kind = try reading.kind(header.kind, at: position)
        guard kind.version == event.record.version, ExactText(kind.row.name) == event.record.type,
          try Self.tags(header, bytes, position) == Set(event.tags)
        else { return false }
        let payload = try reading.payload(bytes.extracting(header.body), of: kind, position)
        return payload.bytes == event.payload || Self.imported(payload) == event.payload
      }
      guard header.flags.contains(.id), UUID(bytes, at: header.id.lowerBound) == id else { return false }
      if let merged = place.mergedUpTo, position <= merged { throw AnnalsError(merged: id, stream) }
      return true
    }
    guard found == [true] else { return false }
    expected[stream] = revision + 1
    return true
  }

  /// The bytes that a line with the payload is imported as; `nil` if it cannot be imported.
  ///
  /// JSON does not have every difference that stored values have, such as the bits of a NaN.
  private static func imported(_ payload: Payload) -> [UInt8]? {
    var writer = JSONWriter()
    do {
      try writer.payload(payload.bytes.span)
      return try JSONReader.value(of: writer.bytes.span).encodedPayload()
    } catch {
      return nil
    }
  }

  private static func tags(
    _ header: EntryHeader, _ bytes: Span<UInt8>, _ position: Position
  ) throws(AnnalsError) -> Set<EventTag> {
    do { return Set(try header.tags(in: bytes, at: position)) } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
  }

  /// The revision of the entry of a stream that has the id; `nil` if there is none.
  private mutating func revision(
    of id: UUID, in head: Head, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> Revision? {
    if let index { return try snapshot.reader.revision(of: id, in: head.id, index) }
    try keepIDs(of: head, snapshot.reader)
    for position in memory.candidates(for: id, of: head.id) {
      let bytes = try snapshot.reader.bytes(at: position)
      let header = try snapshot.reader.header(bytes, at: position)
      if header.stream == head.id, header.flags.contains(.id), UUID(bytes, at: header.id.lowerBound) == id {
        return header.revision
      }
    }
    return nil
  }

  /// How many entries of a stream are read at a time.
  private static let step: UInt64 = 4_096

  /// Keeps the ids of all entries of a stream in memory.
  private mutating func keepIDs(of head: Head, _ reader: StoreReader) throws(AnnalsError) {
    let last = head.revision.rawValue
    var next = kept[head.id.rawValue] ?? 0
    while next <= last {
      let end = min(next + Self.step - 1, last)
      var touched = 0
      let entries = try reader.walk(next...end, of: head, touched: &touched) { (bytes, header, position) in
        EntryIdentity(
          position: position, revision: header.revision,
          id: header.flags.contains(.id) ? UUID(bytes, at: header.id.lowerBound) : nil)
      }
      for entry in entries {
        guard let id = entry.id else { continue }
        guard memory.add(id, of: head.id, at: entry.position) else {
          throw AnnalsError(
            .tooLarge,
            "more than \(memory.count) event ids would have to be kept in memory to find out whether the line is in the log already; give the store an index of ids with 'annals set idempotency', or import fewer streams at a time"
          )
        }
      }
      next = end + 1
      kept[head.id.rawValue] = next
    }
  }
}
