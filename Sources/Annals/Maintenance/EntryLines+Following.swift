internal import LMDB

extension EntryLines {
  /// Waits until there are entries behind those that reading ended at, and goes on with them; for entries that are read oldest first.
  ///
  /// An append of this process is met at once, one of another process within some milliseconds.
  ///
  /// - Returns: Whether there are; not where the limit is reached or the task is cancelled.
  /// - Throws: As ``init(_:_:)``.
  @concurrent public mutating func waitForMore() async throws(AnnalsError) -> Bool {
    var rest = selection
    guard let limit = UInt64(exactly: selection.limit), count < limit, !selection.backwards else {
      return false
    }
    rest.limit = Int(clamping: limit - count)
    // The first revision of a stream is 0, the first position of a log 1.
    let next = selection.stream != nil && !steps.hasEntries ? 0 : end + 1
    rest.start = max(selection.start ?? 0, next)
    while !Task.isCancelled {
      // Before the look: what is committed during it is announced behind this count.
      let known = log.core.place.commits.count
      let found = try Self.steps(log, rest)
      if found.hasEntries, found.end >= rest.start ?? 0 {
        steps = found
        return true
      }
      if watch == nil {
        // What was committed before there was a watch is seen by one more look.
        watch = try log.core.watch()
        continue
      }
      await log.core.place.commits.wait(beyond: known)
    }
    return false
  }
}

extension EntrySteps {
  /// Whether there was any entry when the read began.
  var hasEntries: Bool { stream.map { $0.head != nil } ?? (end > 0) }
}
