public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
public import AnnalsSchema

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// An element read by a subscription: a step to deliver, or an entry that could not be read.
enum FollowStep<Value: Sendable>: Sendable {
  case step(SubscriptionStep<Value>)
  /// An entry that the plan cannot read, and the checkpoint after it.
  case unreadable(UnreadableEntry, Checkpoint)

  /// The checkpoint after which a later subscription continues.
  var checkpoint: Checkpoint {
    switch self {
    case .step(let step): step.checkpoint
    case .unreadable(_, let checkpoint): checkpoint
    }
  }
}

/// An entry, with the values that checkpoints compare.
protocol LoggedEntry: Sendable {
  var position: Position { get }
  var timestamp: Timestamp { get }
  var id: UUID? { get }
}

extension Entry: LoggedEntry {}

extension LogEntry: LoggedEntry {
  var timestamp: Timestamp { time }
}

extension LogCore {
  /// Returns the steps of a subscription, including the entries that it cannot read.
  ///
  /// - Parameter read: Reads a page of the entries that the subscription delivers.
  func steps<Value: LoggedEntry>(
    from start: SubscriptionStart, streamPrefix prefix: String?, matching query: QuerySource?,
    _ read: @escaping EntryPage<Value>.Read
  ) -> AsyncEntries<FollowStep<Value>> {
    let begin = begin(from: start)
    return AsyncEntries(
      EntryPages(following: EntryReader(following: self, streamPrefix: prefix, matching: query)) {
        (reader, limits) throws(AnnalsError) in
        let known = reader.checkpoint
        if known == nil {
          let (checkpoint, floor) = try begin()
          reader.move(to: checkpoint, floor: floor)
        }
        let before = reader.checkpoint
        let page = try read(&reader, limits)
        return try reader.steps(of: page, after: before, isFirst: known == nil)
      })
  }

  /// Returns a closure that finds the place of a start. For `.end`, the place is fixed by this call.
  private func begin(
    from start: SubscriptionStart
  ) -> @Sendable () throws(AnnalsError) -> (Checkpoint, floor: UInt64) {
    guard case .end = start else { return { [self] () throws(AnnalsError) in try place(of: start) } }
    let found: Result<(Checkpoint, floor: UInt64), AnnalsError>
    do { found = .success(try place(of: .end)) } catch { found = .failure(error) }
    return { () throws(AnnalsError) in try found.get() }
  }

  /// Returns the checkpoint after which a subscription begins, and the position up to which it skips entries.
  private func place(of start: SubscriptionStart) throws(AnnalsError) -> (Checkpoint, floor: UInt64) {
    var stored: Checkpoint?
    if case .stored(let name) = start { stored = try consumers(creating: false)?.checkpoint(of: name) }
    let snapshot = try LogSnapshot(self)
    let reader = snapshot.reader
    switch start {
    case .beginning: return (try reader.checkpoint(at: 0, log: log), 0)
    case .end: return (try reader.checkpoint(at: Position(reader.last()), log: log), 0)
    case .after(let position):
      let known = Position(min(try reader.last(), position.rawValue))
      return (try reader.checkpoint(at: known, log: log), position.rawValue)
    case .checkpoint(let checkpoint):
      try reader.mustAgree(with: checkpoint, log: log, of: "the checkpoint that a subscription begins at")
      return (checkpoint, 0)
    case .stored(let name):
      guard let stored else { return (try reader.checkpoint(at: 0, log: log), 0) }
      try reader.mustAgree(with: stored, log: log, of: "the stored checkpoint of '\(name)'")
      return (stored, 0)
    }
  }
}

extension EntryReader {
  /// Returns the steps that a page contains for a subscription.
  ///
  /// - Parameters:
  ///   - checkpoint: The checkpoint after which the page begins.
  ///   - isFirst: Whether it is the first page.
  fileprivate mutating func steps<Value: LoggedEntry>(
    of page: EntryPage<Value>, after start: Checkpoint?, isFirst: Bool
  ) throws(AnnalsError) -> EntryPage<FollowStep<Value>> {
    var steps = EntryPage<FollowStep<Value>>(elements: [], end: page.end)
    guard var before = start, let end = checkpoint else { return steps }
    let marks = try marks(of: page.elements)
    for (index, entry) in page.elements.enumerated() {
      let place = Checkpoint(
        log: core.log, incarnation: end.incarnation, position: entry.position,
        mark: marks[index])
      let next = index + 1
      // Only the last part of a split has the checkpoint after the whole entry.
      if next == page.elements.count || page.elements[next].position != entry.position { before = place }
      steps.elements.append(
        .step(.entry(SubscribedEntry(entry: entry, checkpoint: before, place: place))))
    }
    if let entry = page.end.unreadable, entry.error.blamesEntry, let checkpoint = entry.checkpoint {
      steps.elements.append(.unreadable(entry, checkpoint))
      steps.end.failure = nil
      move(to: checkpoint)
    }
    guard steps.end.failure == nil, let end = self.checkpoint else { return steps }
    if page.end.isLast {
      if isFirst || end != start { steps.elements.append(.step(.caughtUp(end))) }
    } else if steps.elements.last?.checkpoint != end {
      steps.elements.append(.step(.passed(end)))
    }
    return steps
  }
}

extension EntryReader {
  /// The marks of checkpoints after entries of a page.
  private func marks<Value: LoggedEntry>(of entries: [Value]) throws(AnnalsError) -> [UInt32] {
    guard entries.contains(where: { $0.id == nil }) else {
      return entries.map { LentEntry.mark($0.position, $0.timestamp, $0.id) }
    }
    // No pass changes commit times, so a later snapshot than that of the page has the same.
    let snapshot = try LogSnapshot(core)
    let reader = snapshot.reader
    var search = CommitSearch()
    var marks: [UInt32] = []
    marks.reserveCapacity(entries.count)
    for entry in entries {
      let commit = entry.id == nil ? try search.commit(of: entry.position, reader) : nil
      marks.append(LentEntry.mark(entry.position, entry.timestamp, entry.id, committedAt: commit))
    }
    return marks
  }
}

extension AnnalsError {
  /// Whether the entry itself is the only reason that it cannot be read, so that later entries can be.
  var blamesEntry: Bool { (code == .malformed || code == .ruleFailed) && details.type != nil }
}
