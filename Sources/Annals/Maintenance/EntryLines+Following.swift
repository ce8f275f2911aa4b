public import AnnalsCoding

extension EntryLines {
  /// Waits until there are entries after the last one that was read, and goes on with them. Entries must be
  /// read oldest first.
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
    var wait = wait
    let found = try await wait.first(in: log.core) { () throws(AnnalsError) -> EntrySteps? in
      let found = try Self.steps(log, rest)
      return found.hasEntries && found.end >= rest.start ?? 0 ? found : nil
    }
    self.wait = wait
    if let found { steps = found }
    return found != nil
  }
}

extension EntrySteps {
  /// Whether there was any entry when the read began.
  var hasEntries: Bool { stream.map { $0.head != nil } ?? (end > 0) }
}
