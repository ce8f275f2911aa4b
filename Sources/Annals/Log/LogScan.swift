internal import LMDB

/// An entry as it lies in the log, lent as long as its snapshot: nothing is copied.
public struct LentEntry: ~Escapable {
  /// The place in the log.
  public let position: Position
  private let header: EntryHeader
  private let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(position: Position, header: EntryHeader, bytes: Span<UInt8>) {
    self.position = position
    self.header = header
    self.bytes = bytes
  }

  /// The place in the stream.
  public var revision: Revision { header.revision }
  /// The position of the first entry of the stream, which tells streams apart.
  public var stream: Position { header.stream }
  /// When it was appended.
  public var time: Timestamp { Timestamp(microseconds: header.time) }
  /// The payload, a CBOR map; `nil` where a split has left parts or a drop a stub.
  public var payload: Span<UInt8>? {
    @_lifetime(copy self)
    get { header.flags.isDisjoint(with: [.parts, .stub]) ? bytes.extracting(header.body) : nil }
  }
  /// The number of the record type and version, for ``LogSnapshot/record(of:)``.
  var kind: UInt32 { header.kind }
}

/// The entries of the whole log in one snapshot, lent one after the other: the fastest way through a log.
///
/// Header and checksum of every entry are checked.
public struct LogScan: ~Copyable, ~Escapable {
  private var cursor: IntegerCursor
  private var steps: LogSteps

  @_lifetime(copy reader)
  init(_ reader: StoreReader, start: Position?, backwards: Bool, limit: Int) throws(AnnalsError) {
    let steps = LogSteps(start: start, backwards: backwards, last: try reader.last(), limit: limit)
    let cursor = try reader.entriesCursor()
    self.steps = steps
    self.cursor = cursor
  }

  /// The next entry; `nil` at the end or the limit.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` (a missing position is damage), `formatVersion`, `needsNewer` or
  ///   `inputOutput`.
  @_lifetime(copy self)
  public mutating func next() throws(AnnalsError) -> LentEntry? {
    guard let (position, move) = steps.next() else { return nil }
    let row: IntegerRow?
    do { row = try move.run(on: &cursor) } catch { throw AnnalsError(error) }
    guard let row, row.key == position.rawValue else { throw AnnalsError(missing: position) }
    do {
      return LentEntry(position: position, header: try EntryHeader(row.value, at: position), bytes: row.value)
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
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
    try LogScan(reader, start: start, backwards: backwards, limit: limit)
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
