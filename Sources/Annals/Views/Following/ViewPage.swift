internal import AnnalsCoding
internal import AnnalsSchema

/// The next few events of a log for all views that follow it together: read once, decoded once.
final class ViewPage<Event: SchemaEvent>: Sendable {
  /// An entry that could not be lifted.
  struct Failure: Sendable {
    let position: UInt64
    /// Behind it, for those whom it does not concern.
    let behind: Checkpoint
    let error: AnnalsError
    /// The cases that it could have become; `nil` where that is not known.
    let cases: Set<Int>?
  }

  /// The position before the first entry that the page covers.
  let start: UInt64
  /// Behind the last entry that it covers, whatever was passed over.
  let end: Checkpoint
  /// What is left of them for those who read, in order.
  let entries: [Entry<Event>]
  /// Whether the log ended there.
  let isLast: Bool
  /// What stands behind it and cannot be read.
  let failure: Failure?

  init(start: UInt64, end: Checkpoint, entries: [Entry<Event>], isLast: Bool, failure: Failure? = nil) {
    self.start = start
    self.end = end
    self.entries = entries
    self.isLast = isLast
    self.failure = failure
  }

  /// The page as a projection sees it that selects some cases, `nil` for all: what does not concern it has not failed.
  func seen(by cases: Set<Int>?) -> ViewPage {
    guard let failure, let possible = failure.cases, let cases, possible.isDisjoint(with: cases) else {
      return self
    }
    return ViewPage(start: start, end: failure.behind, entries: entries, isLast: isLast)
  }
}
