internal import LMDB

/// A stream in a listing.
public struct StreamSummary: Hashable, Sendable {
  /// The stream's name.
  public let name: StreamName
  /// The revision of its newest entry.
  public let revision: Revision
  /// Where its first entry stands.
  public let first: Position
  /// Where its newest entry stands.
  public let last: Position
}

/// The streams of one snapshot whose names begin alike, in the order of their names' bytes.
public struct StreamList: ~Copyable, ~Escapable {
  private let reader: StoreReader
  private let prefix: [UInt8]
  /// The name behind which the list begins, if any.
  private let previous: [UInt8]?
  private var cursor: Cursor
  private var hasBegun = false
  private var hasEnded = false

  @_lifetime(copy reader)
  init(_ reader: StoreReader, prefix: String, after previous: StreamName?) throws(AnnalsError) {
    let cursor = try reader.streamsCursor()
    self.reader = reader
    self.prefix = Array(prefix.utf8)
    self.previous = previous.map { Array($0.text.utf8) }
    self.cursor = cursor
  }

  /// The next stream; `nil` at the end.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` or `inputOutput`.
  public mutating func next() throws(AnnalsError) -> StreamSummary? {
    while !hasEnded {
      let row = try step()
      guard let row, row.key.count >= prefix.count, prefix.indices.allSatisfy({ row.key[$0] == prefix[$0] })
      else {
        hasEnded = true
        return nil
      }
      let stream = try StoreReader.open(row.value, key: row.key, name: "a stream", in: reader.tables.streams)
      {
        (bytes) throws(FormatFailure) in try StreamRow(bytes)
      }
      guard stream.state == .live else { continue }
      let head = try reader.head(id: stream.id)
      return StreamSummary(
        name: try name(row.key), revision: head.revision, first: head.id, last: head.last)
    }
    return nil
  }

  /// Moves to the first row with the prefix, or behind the previous name, then to the next one.
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
  /// The streams whose names begin with `prefix`, in the order of their names' bytes.
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the names; all streams by default.
  ///   - previous: The name behind which the list begins, which need not exist: so that a long list can be read in pages,
  ///     each with a snapshot of its own.
  /// - Throws: ``AnnalsError`` with code `inputOutput`.
  @_lifetime(borrow self)
  public func streams(
    prefix: String = "", after previous: StreamName? = nil
  ) throws(AnnalsError) -> StreamList {
    try StreamList(reader, prefix: prefix, after: previous)
  }
}
