internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// Reads the log for views, a page at a time, into the memory that all views share. Used by one thread.
///
/// A page ends where an append call ends, unless the call is longer than a page.
struct ViewReading<Event: SchemaEvent> {
  /// The number of pages kept until the runners have finished with them: those that may wait, and the first
  /// and last of a fold.
  private static var kept: Int { ViewDesk<Event>.room + 3 }
  private let registry: ViewRegistry<Event>
  /// The longest wait for memory, in pauses of a millisecond.
  private let mostPauses: Int
  private var reader: EntryReader
  /// The number of events of the last page.
  private var likely = 0
  /// The pages read last. They are freed here and not where they are folded: if one thread allocates and
  /// another frees, both wait for the allocator.
  private var recent: [ViewPage<Event>] = []

  init(_ registry: ViewRegistry<Event>, mostPauses: Int = 1_000) {
    self.registry = registry
    self.mostPauses = mostPauses
    reader = EntryReader(following: registry.core)
  }

  /// Reads the entries after a position that some steps of the plan begin with; `nil` for all.
  mutating func page(
    after position: UInt64, _ wanted: Set<Int>?
  ) throws(AnnalsError) -> ViewPage<Event> {
    let storage = oldest()
    let reserved = reserve()
    var used = 0
    defer { ViewMemory.pages.add(used - reserved) }
    reader.move(to: position)
    let stride = MemoryLayout<Entry<Event>>.stride
    // A page that goes on to the end of a call may be twice as long.
    let limits = PageLimits(
      scanned: registry.pace.entries, elements: max(reserved / 4 / stride, 1),
      bytes: min(registry.pace.bytes, reserved / 4), endsCalls: true)
    let page: EntryPage<Entry<Event>> = try reader.events(
      limits, through: registry.resolver, selecting: wanted, likely: likely, in: storage)
    likely = page.elements.count
    let unreadable = page.end.unreadable
    // No entry is to blame: the whole page is read again, or no runner can continue.
    if let error = page.end.failure, unreadable == nil || error.recovery == [.retry] { throw error }
    guard let end = reader.checkpoint else { throw AnnalsError(missing: Position(position)) }
    used = page.end.bytes + page.elements.count * stride
    return ViewPage(
      start: position, end: end, entries: page.elements, isLast: page.end.isLast && unreadable == nil,
      isEndOfCall: page.end.isEndOfCall, failure: unreadable, memory: used)
  }

  /// Keeps a page until the runners have finished with it.
  mutating func keep(_ page: ViewPage<Event>) { recent.append(page) }

  /// Frees all pages.
  mutating func free() { recent.removeAll() }

  /// Frees the oldest page once enough are kept.
  ///
  /// - Returns: Its memory, without entries. If each page took new memory of that size, the allocator would
  ///   join all that is free each time.
  private mutating func oldest() -> [Entry<Event>] {
    guard recent.count >= Self.kept else { return [] }
    var entries = recent.removeFirst().entries
    entries.removeAll(keepingCapacity: true)
    return entries
  }

  /// Reserves memory for a page, and waits for it if views have it all. If none returns any in that time, the
  /// least that a page needs is taken all the same.
  private mutating func reserve() -> Int {
    let (limit, page) = (registry.budget.pages, registry.budget.page)
    for _ in 0..<mostPauses where !registry.isEnding {
      if let count = ViewMemory.pages.reserve(upTo: page.most, atLeast: page.least, within: limit) {
        return count
      }
      free()
      WriterThread.pause(milliseconds: 1)
    }
    ViewMemory.pages.add(page.least)
    return page.least
  }
}

// Single places of the log.
extension ViewRegistry {
  /// Returns a page that ends before a position that cannot be folded.
  func cut(_ page: ViewPage<Event>, before position: UInt64) throws(AnnalsError) -> ViewPage<Event> {
    return ViewPage(
      start: page.start, end: try checkpoint(at: position - 1),
      entries: page.entries.filter { $0.position.rawValue < position },
      isLast: false)
  }

  /// Returns the checkpoint after the entry at a position.
  func checkpoint(at position: UInt64) throws(AnnalsError) -> Checkpoint {
    try LogSnapshot(core).reader.checkpoint(at: Position(position), log: core.log)
  }

  /// Returns the position at which the append call of an entry ends.
  func endOfCall(at position: UInt64) throws(AnnalsError) -> UInt64 {
    try LogSnapshot(core).reader.endOfCall(at: Position(position)).rawValue
  }
}
