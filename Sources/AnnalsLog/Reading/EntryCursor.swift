package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

/// A cursor over the stored entries of the log or of one stream in one snapshot, in either direction.
package struct EntryCursor: ~Copyable, ~Escapable {
  let reader: StoreReader
  /// The cursor of a read that goes from position to position; `nil` in other reads.
  private var rows: IntegerCursor?
  private var window: StreamWindow
  /// The way through the chains of tags; `nil` before it has begun, and in other reads.
  private var tags: TagSteps?
  /// The place of the read, from which a later snapshot continues.
  package private(set) var steps: EntrySteps

  /// Creates a cursor after the entries that `steps` has passed already.
  @_lifetime(copy reader)
  package init(_ reader: StoreReader, _ steps: consuming EntrySteps) throws(AnnalsError) {
    steps.log?.enterSnapshot()
    self.reader = reader
    rows = steps.log == nil ? nil : try reader.entriesCursor()
    window = StreamWindow(reader)
    self.steps = steps
  }

  /// The number of entries of a stream that were read to find and lend the requested ones.
  var touched: Int { steps.stream?.touched ?? 0 }

  /// Returns the next entry; `nil` at the end or the limit. A missing one is damage.
  @inline(__always)
  @_lifetime(copy self)
  package mutating func next() throws(AnnalsError) -> LentEntry? {
    if steps.stream != nil {
      guard let (position, index) = try steps.stream?.next(reader, &window) else { return nil }
      if let entry = window.entry(index, at: position) {
        steps.stream?.pass()
        return entry
      }
      let bytes = try reader.bytes(at: position)
      let header = try reader.header(bytes, at: position)
      try steps.stream?.check(header, bytes, at: position, reader)
      return LentEntry(position: position, header: header, bytes: bytes)
    }
    if steps.range != nil { return try nextTagged() }
    guard let (position, move) = steps.log?.next() else { return nil }
    let row: IntegerRow?
    do {
      row =
        switch move {
        case .seek(let key): try rows?.seek(key)
        case .next: try rows?.next()
        case .previous: try rows?.previous()
        }
    } catch {
      throw AnnalsError(error)
    }
    guard let row, row.key == position.rawValue else { throw AnnalsError(missing: position) }
    // The header is read here and not by `lend`, whose result in memory would be copied as soon as it is
    // written: the processor would wait for it.
    do {
      return LentEntry(
        position: position, header: try EntryHeader(row.value, at: position), bytes: row.value)
    } catch {
      throw AnnalsError(error, at: position)
    }
  }

  /// Returns the next entry of a chain of tags.
  @_lifetime(copy self)
  private mutating func nextTagged() throws(AnnalsError) -> LentEntry? {
    if tags == nil { tags = try steps.queries.first?.steps(reader) }
    let runs = tags?.runs
    guard let (position, index) = try tags?.next(reader, &window) else {
      steps.range?.isAtEnd = true
      return nil
    }
    if tags?.runs != runs { try fetchNames() }
    steps.range?.pass(position)
    if let index, let entry = window.entry(index, at: Position(position)) { return entry }
    let bytes = try reader.bytes(at: Position(position))
    return LentEntry(
      position: Position(position), header: try reader.header(bytes, at: Position(position)), bytes: bytes)
  }

  /// Reads the names of the streams of the entries that were found last, if most of these will be delivered.
  private mutating func fetchNames() throws(AnnalsError) {
    guard steps.queries[0].stored.isByOneTag else { return }
    var streams: [UInt64] = []
    streams.reserveCapacity(window.count)
    for index in 0..<window.count {
      let header = window.header(index)
      // The first entry of a stream has the name.
      if header.flags.contains(.first) || !steps.queries[0].stored.mayInclude(header) { continue }
      streams.append(header.stream.rawValue)
    }
    try steps.names.fetch(streams, reader)
  }

  /// Whether `entry` matches the query of the read.
  package func includes(_ entry: borrowing LentEntry) throws(AnnalsError) -> Bool {
    if steps.queries.isEmpty { return true }
    return try steps.queries[0].stored.includes(entry)
  }

  /// Returns the name of the stream that `entry` belongs to.
  package mutating func name(of entry: borrowing LentEntry) throws(AnnalsError) -> StreamName {
    if let stream = steps.stream { return stream.stream }
    return try steps.names.name(of: entry, reader)
  }
}

extension StoreReader {
  /// Returns the entry stored at `position` with these bytes, after checking its header and checksum.
  @_lifetime(copy bytes)
  package func lend(_ bytes: Span<UInt8>, at position: Position) throws(AnnalsError) -> LentEntry {
    LentEntry(position: position, header: try header(bytes, at: position), bytes: bytes)
  }
}
