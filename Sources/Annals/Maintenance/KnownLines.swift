internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds the lines of an import that are in the log already, by their ids.
///
/// A line with an id is known if its stream, or one that a pass has moved the stream's entries to, has an
/// entry with that id, wherever the entry is. The next entry after the last known line is compared first, so
/// lines in the order of their entries cost one entry each.
///
/// An id that is elsewhere, or nowhere, is searched in the store's index of ids. Without an index, the ids of
/// the whole stream are kept in memory. A line without an id is known only if it follows a known line and
/// equals the entry that follows.
struct KnownLines {
  /// Where the next line of a stream is expected.
  private struct Place {
    let stream: StreamName
    var revision: UInt64
  }

  private let log: EventLog
  /// The generation that the rest is about; a pass may move entries to other streams.
  private var generation: UInt64 = 0
  private var memory: IDMemory
  /// The store's own index of ids, which takes the place of the memory; `nil` if it has none.
  private var index: Table?
  /// By a stream's first position, how many of its entries are in the memory.
  private var kept: [UInt64: UInt64] = [:]
  /// The streams whose last line was known, and where the next one is expected.
  private var expected: [StreamName: Place] = [:]
  /// The streams that entries of a stream may be in, and their heads in the snapshot.
  private var places: [StreamName: Places] = [:]

  /// The streams that entries of a stream may be in.
  private struct Places {
    /// A stream, its head in the snapshot, and up to which position a pass may have merged others into it.
    var streams: [(stream: StreamName, head: Head?, mergedUpTo: Position?)] = []
    /// Whether more streams got entries than are known.
    var hasMore = false
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
      guard sight.last > 0, batch.hasIDs else { return (0, sight) }
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
    let places = try places(of: stream, snapshot)
    if try isExpected(event, of: stream, places, snapshot) { return true }
    expected[stream] = nil
    guard let id = event.id else { return false }
    for (name, head, merged) in places.streams {
      guard let head, head.newestID != nil, let revision = try revision(of: id, in: head, snapshot) else {
        continue
      }
      if let merged {
        var touched = 0
        let position = try snapshot.reader.position(of: revision, from: head, touched: &touched)
        if position <= merged { throw AnnalsError(merged: id, stream, into: name) }
      }
      expected[stream] = Place(stream: name, revision: revision.rawValue + 1)
      return true
    }
    if places.hasMore {
      throw AnnalsError(AppendVerdict.moved(stream, to: places.streams.dropFirst().map(\.stream)))
    }
    return false
  }

  private mutating func places(
    of stream: StreamName, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> Places {
    if let known = places[stream] { return known }
    var found = Places()
    let moved = try snapshot.moved(from: stream)
    let hasMoved = try snapshot.generation.hasMoved(in: snapshot.reader)
    for name in [stream] + moved {
      found.streams.append(
        (name, try snapshot.head(of: name), hasMoved ? try snapshot.reader.mergedUpTo(name) : nil))
    }
    // Of a stream that was split into many only so many names are known.
    found.hasMore = moved.count >= MovedRow.maximum
    places[stream] = found
    return found
  }

  /// Whether the line is the entry that follows the last known one of its stream, or the first of a place
  /// where none was.
  private mutating func isExpected(
    _ event: AppendRequest.Event, of stream: StreamName, _ places: Places,
    _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> Bool {
    // The index finds an id faster than the way to its entry.
    if event.id != nil, index != nil { return false }
    for (name, head, merged) in places.streams {
      guard let head, head.newestID != nil else { continue }
      var revision: UInt64 = 0
      if let place = expected[stream], place.stream == name {
        revision = place.revision
      } else if event.id == nil || kept[head.id.rawValue] != nil {
        continue
      }
      guard revision <= head.revision.rawValue else { continue }
      var touched = 0
      let found = try snapshot.reader.walk(revision...revision, of: head, touched: &touched) {
        (bytes, header, position) throws(AnnalsError) in
        guard let id = event.id else {
          return !header.flags.contains(.id)
            && snapshot.kinds.kind(version: event.record.version, name: event.record.type, shape: nil)
              == header.kind
            && bytes.extracting(header.body).isEqual(to: event.payload.span)
        }
        guard header.flags.contains(.id), UUID(bytes, at: header.id.lowerBound) == id else { return false }
        if let merged, position <= merged { throw AnnalsError(merged: id, stream, into: name) }
        return true
      }
      guard found == [true] else { continue }
      expected[stream] = Place(stream: name, revision: revision + 1)
      return true
    }
    return false
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
