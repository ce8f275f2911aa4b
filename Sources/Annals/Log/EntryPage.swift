internal import AnnalsCoding

/// How much of the log is read in one snapshot. An entry is never divided, so that a page may have more events.
struct PageRoom: Sendable {
  /// The most stored entries, and how many events fill a page.
  var entries = 256
  /// The most events that are still asked for. Entries that are dropped do not count.
  var events = Int.max
  /// How many stored bytes fill a page.
  var bytes = 1 << 20
}

/// The next few elements of a read, copied out of a snapshot that has ended.
struct EntryPage<Element: Sendable>: Sendable {
  /// What was read, which may be nothing: where all entries were dropped, the read goes on.
  var elements: [Element] = []
  /// Where the read stands behind them.
  var steps: EntrySteps
  /// Whether nothing comes behind them.
  var isLast = false
  /// What is to be thrown behind them, in place of the entry that could not be read.
  var failure: AnnalsError?
}

extension EntryCursor {
  /// Gives entries to `take` until a page is full.
  ///
  /// - Parameters:
  ///   - room: The size of the page.
  ///   - take: Keeps what an entry is for the reader, and returns how many elements the page has then.
  /// - Returns: Whether the read has ended.
  mutating func fill(
    _ room: PageRoom, _ take: (borrowing LentEntry, StreamName) throws(AnnalsError) -> Int
  ) throws(AnnalsError) -> Bool {
    var (entries, bytes, elements) = (0, 0, 0)
    while entries < room.entries, elements < min(room.entries, room.events), bytes < room.bytes {
      guard let entry = try next() else { return true }
      entries += 1
      bytes += entry.bytes.count
      let stream = try name(of: entry)
      if steps.includes(stream) { elements = try take(entry, stream) }
    }
    return false
  }
}
