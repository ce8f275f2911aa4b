/// The entries of the log or of one stream in one snapshot, one after the other.
public struct LogEntries: ~Copyable, ~Escapable {
  private var cursor: EntryCursor
  private let reading: EntryReading

  @_lifetime(copy cursor)
  init(_ cursor: consuming EntryCursor, _ kinds: KindRegistry) {
    self.cursor = cursor
    reading = EntryReading(kinds: kinds)
  }

  /// How many entries of a stream were read to find and deliver those that were asked for.
  var touched: Int { cursor.touched }

  /// The next entry; `nil` at the end or the limit.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` (a missing position is damage), `formatVersion`, `needsNewer` or
  ///   `inputOutput`.
  public mutating func next() throws(AnnalsError) -> LogEntry? {
    guard let entry = try cursor.next() else { return nil }
    return try reading.entry(entry, cursor.name(of: entry))
  }
}
