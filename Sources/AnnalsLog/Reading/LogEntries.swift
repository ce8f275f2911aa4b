public import AnnalsCoding
internal import AnnalsFormat

/// The entries of the log or of one stream in one snapshot, in order.
public struct LogEntries: ~Copyable, ~Escapable {
  private var cursor: EntryCursor
  private let reading: EntryReading
  private var remaining: Int

  @_lifetime(copy cursor)
  init(_ cursor: consuming EntryCursor, _ kinds: KindRegistry, limit: Int) {
    self.cursor = cursor
    reading = EntryReading(kinds: kinds)
    remaining = limit
  }

  /// The number of entries of a stream that were read to find and deliver the requested ones.
  var touched: Int { cursor.touched }

  /// Returns the next entry; `nil` at the end or the limit.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` (a missing position is damage), `formatVersion`,
  ///   `needsNewer` or `inputOutput`.
  public mutating func next() throws(AnnalsError) -> LogEntry? {
    guard remaining > 0 else { return nil }
    while let entry = try cursor.next() {
      let stream = try cursor.name(of: entry)
      guard cursor.steps.includes(stream), try cursor.includes(entry) else { continue }
      remaining -= 1
      return try reading.entry(entry, stream, cursor.reader)
    }
    return nil
  }
}
