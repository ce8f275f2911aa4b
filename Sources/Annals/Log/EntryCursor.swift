internal import LMDB

/// The stored entries of the log or of one stream, lent one after the other in either direction.
struct EntryCursor: ~Copyable, ~Escapable {
  let reader: StoreReader
  private var rows: IntegerCursor
  private var log: LogSteps?
  private var stream: StreamSteps?
  private var names = StreamNames()

  /// The entries of the whole log.
  @_lifetime(copy reader)
  init(_ reader: StoreReader, start: Position?, backwards: Bool, limit: Int) throws(AnnalsError) {
    let log = LogSteps(start: start, backwards: backwards, last: try reader.last(), limit: limit)
    let rows = try reader.entriesCursor()
    self.reader = reader
    self.rows = rows
    self.log = log
  }

  /// The entries of one stream.
  @_lifetime(copy reader)
  init(
    _ reader: StoreReader, in stream: StreamName, head: Head?, start: Revision?, backwards: Bool, limit: Int
  ) throws(AnnalsError) {
    let steps = StreamSteps(stream: stream, head: head, start: start, backwards: backwards, limit: limit)
    let rows = try reader.entriesCursor()
    self.reader = reader
    self.rows = rows
    self.stream = steps
  }

  /// How many entries of a stream were read to find and lend those that were asked for.
  var touched: Int { stream?.touched ?? 0 }

  /// The next entry; `nil` at the end or the limit. A missing one is damage.
  @_lifetime(copy self)
  mutating func next() throws(AnnalsError) -> LentEntry? {
    if stream != nil {
      guard let position = try stream?.next(reader) else { return nil }
      let bytes = try reader.bytes(at: position)
      let entry = try reader.lend(bytes, at: position)
      try stream?.check(entry.header, bytes, at: position, reader)
      return entry
    }
    guard let (position, move) = log?.next() else { return nil }
    let row: IntegerRow?
    do { row = try move.run(on: &rows) } catch { throw AnnalsError(error) }
    guard let row, row.key == position.rawValue else { throw AnnalsError(missing: position) }
    return try reader.lend(row.value, at: position)
  }

  /// The name of the stream that `entry` belongs to.
  mutating func name(of entry: borrowing LentEntry) throws(AnnalsError) -> StreamName {
    if let stream { return stream.stream }
    return try names.name(of: entry.stream, reader)
  }
}

extension StoreReader {
  /// The entry stored at `position` with these bytes, after checking its header and checksum.
  @_lifetime(copy bytes)
  func lend(_ bytes: Span<UInt8>, at position: Position) throws(AnnalsError) -> LentEntry {
    LentEntry(position: position, header: try header(bytes, at: position), bytes: bytes)
  }
}
