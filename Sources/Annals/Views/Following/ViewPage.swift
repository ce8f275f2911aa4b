internal import AnnalsCoding
internal import AnnalsSchema

/// The next few events of a log for all views that follow it together: read once, decoded once.
final class ViewPage<Event: SchemaEvent>: Sendable {
  /// The position before the first entry that the page covers.
  let start: UInt64
  /// Behind the last entry that it covers, whatever was passed over.
  let end: Checkpoint
  /// What is left of them for those who read, in order.
  let entries: [Entry<Event>]
  /// Whether the log ended there.
  let isLast: Bool
  /// The entry after it that cannot be read.
  let failure: UnreadableEntry?

  init(start: UInt64, end: Checkpoint, entries: [Entry<Event>], isLast: Bool, failure: UnreadableEntry? = nil)
  {
    self.start = start
    self.end = end
    self.entries = entries
    self.isLast = isLast
    self.failure = failure
  }

  /// The page as a projection sees it that selects some cases, `nil` for all: what does not concern it has not failed.
  func seen(by cases: Set<Int>?) -> ViewPage {
    guard let failure, let possible = failure.cases, let cases, possible.isDisjoint(with: cases),
      let end = failure.checkpoint
    else { return self }
    return ViewPage(start: start, end: end, entries: entries, isLast: isLast)
  }
}
