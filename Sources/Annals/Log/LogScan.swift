public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An entry as it lies in the log, lent as long as its snapshot: nothing is copied.
public struct LentEntry: ~Escapable {
  /// The place in the log.
  public let position: Position
  let header: EntryHeader
  let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(position: Position, header: EntryHeader, bytes: Span<UInt8>) {
    self.position = position
    self.header = header
    self.bytes = bytes
  }

  /// The place in the stream.
  public var revision: Revision { header.revision }
  /// The position of the first entry of the stream, which tells streams apart; ``LogScan/stream(of:)`` knows the name.
  public var stream: Position { header.stream }
  /// When it was appended.
  public var time: Timestamp { Timestamp(microseconds: header.time) }
  /// The payload, a CBOR map; `nil` where a split has left parts or a drop a stub.
  public var payload: Span<UInt8>? {
    @_lifetime(copy self)
    get { header.flags.isDisjoint(with: [.parts, .stub]) ? bytes.extracting(header.body) : nil }
  }
  /// The id that the writer gave the event, if any.
  public var id: UUID? {
    header.flags.contains(.id) ? UUID(bytes, at: header.id.lowerBound) : nil
  }
  /// The number of the record type and version, for ``LogSnapshot/record(of:)``.
  var kind: UInt32 { header.kind }
}

/// The entries of the whole log in one snapshot, lent one after the other: the fastest way through a log.
///
/// Header and checksum of every entry are checked.
public struct LogScan: ~Copyable, ~Escapable {
  private var cursor: EntryCursor

  @_lifetime(copy cursor)
  init(_ cursor: consuming EntryCursor) {
    self.cursor = cursor
  }

  /// The next entry; `nil` at the end or the limit.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` (a missing position is damage), `formatVersion`, `needsNewer` or
  ///   `inputOutput`.
  @_lifetime(copy self)
  public mutating func next() throws(AnnalsError) -> LentEntry? {
    try cursor.next()
  }

  /// The name of the stream that `entry`, of this scan, belongs to.
  ///
  /// - Throws: As ``next()``.
  /// - Complexity: One look-up of the stream's first entry, unless the name was met not long ago: up to 4,096 are kept.
  public mutating func stream(of entry: borrowing LentEntry) throws(AnnalsError) -> StreamName {
    try cursor.name(of: entry)
  }
}

extension LogSnapshot {
  /// The entries of the whole log, lent one after the other.
  ///
  /// - Parameters:
  ///   - start: The first one; by default the log's first, or its last where they are read backwards.
  ///   - backwards: Whether they come newest first.
  ///   - limit: The most entries to read.
  /// - Throws: ``AnnalsError`` with code `inputOutput`.
  @_lifetime(borrow self)
  public func scan(
    from start: Position? = nil, backwards: Bool = false, limit: Int = .max
  ) throws(AnnalsError) -> LogScan {
    let steps = try steps(of: .log(from: start), backwards: backwards, limit: limit)
    return LogScan(try EntryCursor(reader, steps))
  }

  /// The record type and schema version of an entry; of an entry with parts, `nil`.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` where the store does not know the entry's kind.
  public func record(of entry: borrowing LentEntry) throws(AnnalsError) -> (
    type: String, version: SchemaVersion?
  )? {
    if entry.kind == 0 { return nil }
    let kind = try EntryReading(kinds: kinds).kind(entry.kind, at: entry.position)
    return (kind.row.name, kind.version)
  }
}
