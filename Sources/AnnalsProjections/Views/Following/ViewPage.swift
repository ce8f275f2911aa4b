internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema

/// The next events of a log for all views that share a scan, read and decoded once.
final class ViewPage<Event: SchemaEvent>: Sendable {
  /// The position before the first entry that the page covers.
  let start: UInt64
  /// The checkpoint after the last entry that it covers, including skipped ones.
  let end: Checkpoint
  /// The remaining entries, in order.
  let entries: [Entry<Event>]
  /// Whether the log ended there.
  let isLast: Bool
  /// Whether an append call ends there. Otherwise the call goes on in the next page.
  let isEndOfCall: Bool
  /// The entry after it that cannot be read.
  let failure: UnreadableEntry?
  /// The bytes of the views' memory that it has; 0 if another page has its entries.
  private let memory: Int

  /// Creates a page.
  ///
  /// - Parameter memory: The bytes that were reserved for it. They are returned with its end.
  init(
    start: UInt64, end: Checkpoint, entries: [Entry<Event>], isLast: Bool, isEndOfCall: Bool = true,
    failure: UnreadableEntry? = nil, memory: Int = 0
  ) {
    self.memory = memory
    self.start = start
    self.end = end
    self.entries = entries
    self.isLast = isLast
    self.isEndOfCall = isEndOfCall || isLast
    self.failure = failure
  }

  deinit { ViewMemory.pages.release(memory) }

  /// Returns the page for a projection that selects some cases, `nil` for all. A failure that does not
  /// concern the projection is left out.
  func seen(by cases: Set<Int>?) -> ViewPage {
    guard let failure, let possible = failure.cases, let cases, possible.isDisjoint(with: cases),
      let end = failure.checkpoint
    else { return self }
    return ViewPage(start: start, end: end, entries: entries, isLast: isLast, isEndOfCall: false)
  }
}
