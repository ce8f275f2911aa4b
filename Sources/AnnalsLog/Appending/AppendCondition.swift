package import AnnalsCoding
internal import LMDB

/// A query that no entry after a position may match, or a call is refused.
package struct AppendCondition: Sendable {
  /// Whether an entry matches exactly, which the kinds and tags of the query do not always say.
  package typealias Match =
    @Sendable (borrowing LentEntry, StreamName, KindRegistry, Generation) throws(AnnalsError) -> Bool

  let query: QuerySource
  /// The position after which entries are compared; `nil` for all entries.
  package let after: Position?
  private let match: Match?

  /// Creates a condition.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - after: The position after which entries are compared; `nil` for all entries.
  ///   - match: Whether an entry of the query matches; `nil` if all of them do.
  package init(_ query: QuerySource, after: Position?, _ match: Match? = nil) {
    self.query = query
    self.after = after
    self.match = match
  }

  fileprivate func matches(
    _ entry: borrowing LentEntry, _ check: ConditionCheck, _ reader: StoreReader
  ) throws(AnnalsError) -> Bool {
    guard let match else { return true }
    return try match(entry, reader.name(of: entry.stream), check.kinds, check.generation)
  }
}

/// Compares the conditions of a call with the log inside a transaction, and with the calls before it there.
struct ConditionCheck {
  let conditions: [AppendCondition]
  /// The position of the newest entry.
  let last: UInt64
  let kinds: KindRegistry
  let generation: Generation
  let tags: TagHeads

  /// Returns the first entry that matches a condition; `nil` if none does.
  ///
  /// - Complexity: Nothing of the log is read where no tag of the query was used after the position. A query
  ///   with an item that names types alone reads every entry after it.
  func firstMatch(_ reader: StoreReader) throws(AnnalsError) -> Position? {
    var first: Position?
    for condition in conditions {
      guard let found = try firstMatch(of: condition, reader) else { continue }
      first = min(first ?? found, found)
    }
    return first
  }

  private func firstMatch(
    of condition: AppendCondition, _ reader: StoreReader
  ) throws(AnnalsError) -> Position? {
    let after = condition.after?.rawValue ?? 0
    guard after < last else { return nil }
    let query = try condition.query.resolve(kinds)
    if query.items.isEmpty { return nil }
    guard query.isByTags else {
      let log = LogSteps(start: Position(after + 1), backwards: false, last: last, limit: .max)
      var cursor = try EntryCursor(reader, EntrySteps(log: log))
      while let entry = try cursor.next() {
        if try query.includes(entry), try condition.matches(entry, self, reader) { return entry.position }
      }
      return nil
    }
    let table = generation.environment.tags
    var steps = try TagSteps(query, from: after + 1, through: last, backwards: false, reader) {
      (tag) throws(AnnalsError) in
      try tags.head(of: tag, StreamHash(tag.text.utf8.span), in: table, reader)
    }
    var window = StreamWindow(reader)
    while let (found, _) = try steps.next(reader, &window) {
      let position = Position(found)
      let entry = try reader.lend(try reader.bytes(at: position), at: position)
      if try query.includes(entry), try condition.matches(entry, self, reader) { return position }
    }
    return nil
  }
}
