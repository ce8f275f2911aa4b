public import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

/// A stream in a listing.
public struct StreamSummary: Hashable, Sendable {
  /// The stream's name.
  public let name: StreamName
  /// The revision of the stream's newest entry.
  public let revision: Revision
  /// The position of the stream's first entry.
  public let first: Position
  /// The position of the stream's newest entry.
  public let last: Position
}

/// The streams of one snapshot whose names have a common prefix, in the order of their names' bytes.
public struct StreamList: ~Copyable, ~Escapable {
  /// A stream's name and where it begins.
  private struct Place {
    var name: StreamName
    var id: Position
  }

  private let reader: StoreReader
  private let heads: SnapshotHeads
  private let prefix: [UInt8]
  /// The name after which the list begins, if any.
  private let previous: [UInt8]?
  private var cursor: Cursor
  private var hasBegun = false
  /// The next stream that has a row; `nil` after the last one.
  private var row: Place?
  /// The streams that have none yet, the last one first.
  private var births: [Place]
  /// Whether names of some streams were erased, and wait for a pass.
  private let mayHide: Bool

  @_lifetime(copy reader)
  init(
    _ reader: StoreReader, _ heads: SnapshotHeads, prefix: String, after previous: StreamName?
  ) throws(AnnalsError) {
    let cursor = try reader.streamsCursor()
    let bytes = Array(prefix.utf8)
    let births = try Self.births(reader, heads, prefix: bytes, after: previous)
    let mayHide = try !reader.namelessIDs().isEmpty
    self.reader = reader
    self.heads = heads
    self.prefix = bytes
    self.previous = previous.map { Array($0.text.utf8) }
    self.cursor = cursor
    self.births = births
    self.mayHide = mayHide
  }

  /// The streams of the tail that have no row yet, the last one first.
  private static func births(
    _ reader: StoreReader, _ heads: SnapshotHeads, prefix: [UInt8], after previous: StreamName?
  ) throws(AnnalsError) -> [Place] {
    var births: [Place] = []
    for id in try heads.births(reader) {
      let name = try reader.name(of: id)
      guard name.text.utf8.starts(with: prefix), previous.map({ $0 < name }) ?? true,
        try reader.storedID(of: name) == nil
      else { continue }
      births.append(Place(name: name, id: id))
    }
    return births.sorted { $0.name > $1.name }
  }

  /// Returns the next stream; `nil` at the end.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  public mutating func next() throws(AnnalsError) -> StreamSummary? {
    if !hasBegun { row = try nextRow() }
    while let place = try nextPlace() {
      // A row may be written before its snapshot's checkpoint speaks of it, never before the stream's first
      // entry.
      guard let head = try heads.head(id: place.id, reader) else { throw AnnalsError(missing: place.id) }
      // A name that was erased is not shown, nor what takes its place.
      if place.name == SystemEntry.placeholder(of: place.id) { continue }
      if mayHide, try reader.namelessRevision(of: place.id) == head.revision { continue }
      return StreamSummary(name: place.name, revision: head.revision, first: head.id, last: head.last)
    }
    return nil
  }

  /// The next stream with a row, or without one yet.
  private mutating func nextPlace() throws(AnnalsError) -> Place? {
    guard let row, births.last.map({ row.name < $0.name }) ?? true else { return births.popLast() }
    self.row = try nextRow()
    return row
  }

  /// The next stream that has a row and the prefix.
  private mutating func nextRow() throws(AnnalsError) -> Place? {
    while true {
      let row = try step()
      guard let row, row.key.count >= prefix.count, prefix.indices.allSatisfy({ row.key[$0] == prefix[$0] })
      else { return nil }
      let stream = try StoreReader.open(row.value, key: row.key, name: "a stream", in: reader.tables.streams)
      {
        (bytes) throws(FormatFailure) in try StreamRow(bytes)
      }
      if stream.state == .live { return Place(name: try name(row.key), id: stream.id) }
    }
  }

  /// Moves to the first row with the prefix, or after the previous name, then to the next one.
  @_lifetime(copy self)
  private mutating func step() throws(AnnalsError) -> LMDB.Row? {
    defer { hasBegun = true }
    if hasBegun { return try cursor.nextRow() }
    let start = previous.map { prefix.lexicographicallyPrecedes($0) ? $0 : prefix } ?? prefix
    if start.isEmpty { return try cursor.nextRow() }
    // No name is longer, so nothing begins with a longer prefix.
    guard start.count <= NameRule.maximum else { return nil }
    let row: LMDB.Row?
    do { row = try cursor.seek(start.span) } catch { throw AnnalsError(error) }
    if let previous, let row, row.key.isEqual(to: previous.span) { return try cursor.nextRow() }
    return row
  }

  private func name(_ key: Span<UInt8>) throws(AnnalsError) -> StreamName {
    do { return StreamName(try key.text(in: 0..<key.count)) } catch {
      throw AnnalsError(error, place: "table 'streams'", table: "streams")
    }
  }
}

extension LogSnapshot {
  /// Returns the streams whose names begin with `prefix`, in the order of their names' bytes.
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the names; all streams by default.
  ///   - previous: The name after which the list begins, which need not exist. With it, a long list can be
  ///     read in pages, each with its own snapshot.
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  @_lifetime(borrow self)
  public func streams(
    prefix: String = "", after previous: StreamName? = nil
  ) throws(AnnalsError) -> StreamList {
    try StreamList(reader, heads, prefix: prefix, after: previous)
  }
}
