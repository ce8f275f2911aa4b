public import AnnalsCoding
public import AnnalsFormat

/// The entries of the whole log in one snapshot, borrowed in order. This is the fastest way to read a log.
///
/// The header and the checksum of every entry are checked.
public struct LogScan: ~Copyable, ~Escapable {
  private var cursor: EntryCursor

  @_lifetime(copy cursor)
  init(_ cursor: consuming EntryCursor) {
    self.cursor = cursor
  }

  /// Returns the next entry; `nil` at the end or the limit.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` (a missing position is damage), `formatVersion`,
  ///   `needsNewer` or `inputOutput`.
  @_lifetime(copy self)
  public mutating func next() throws(AnnalsError) -> LentEntry? {
    try cursor.next()
  }

  /// Returns the name of the stream that `entry`, of this scan, belongs to.
  ///
  /// - Throws: As ``next()``.
  /// - Complexity: One look-up of the stream's first entry, unless the name is cached. The scan caches up to
  ///   4,096 names.
  public mutating func stream(of entry: borrowing LentEntry) throws(AnnalsError) -> StreamName {
    try cursor.name(of: entry)
  }
}

extension LogSnapshot {
  /// Returns the entries of the whole log as a scan that borrows them in order.
  ///
  /// - Parameters:
  ///   - start: The position to begin at; by default the log's first, or its last if read backwards.
  ///   - backwards: Whether to read the newest entries first.
  ///   - limit: The maximum number of entries to read.
  /// - Throws: ``AnnalsError`` with code `inputOutput`.
  @_lifetime(borrow self)
  public func scan(
    from start: Position? = nil, backwards: Bool = false, limit: Int = .max
  ) throws(AnnalsError) -> LogScan {
    let steps = try steps(of: .log(from: start), backwards: backwards, limit: limit)
    return LogScan(try EntryCursor(reader, steps))
  }

  /// Returns the record type and schema version of an entry; `nil` for an entry with parts.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` if the store does not know the entry's kind.
  public func record(of entry: borrowing LentEntry) throws(AnnalsError) -> (
    type: String, version: SchemaVersion?
  )? {
    if entry.kind == 0 { return nil }
    let kind = try EntryReading(kinds: kinds).kind(entry.kind, at: entry.position)
    return (kind.row.name, kind.version)
  }
}
