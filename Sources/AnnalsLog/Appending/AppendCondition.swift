package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

/// A query that no entry after a position may match, or a call is refused.
package struct AppendCondition: Sendable {
  /// The tags of the query's alternatives, which mostly decide.
  let tags: QueryTags
  /// The position after which entries are checked; `nil` for all entries.
  package let after: Position?
  fileprivate let form: any ConditionForm

  /// Creates a condition.
  ///
  /// - Parameters:
  ///   - tags: The tags of the query's alternatives.
  ///   - after: The position after which entries are checked; `nil` for all entries.
  ///   - form: The query. Most calls need none of it besides the tags.
  package init(_ tags: QueryTags, after: Position?, _ form: any ConditionForm) {
    self.tags = tags
    self.after = after
    self.form = form
  }

  /// The query in a form that does not depend on this program.
  package var shared: SharedQuery { form.shared }
}

/// The query of a condition, as the caller gave it.
package protocol ConditionForm: QueryForm {
  /// The query in a form that does not depend on this program.
  var shared: SharedQuery { get }

  /// Makes the exact comparison of entries, which kinds and tags do not always decide; `nil` if all entries
  /// that they select match. It is called at most once for a call, before the first entry.
  func comparison(_ kinds: KindRegistry, _ generation: Generation) -> (any ConditionComparison)?
}

/// Compares entries that a query selects by kind and tag exactly, in one transaction.
package protocol ConditionComparison {
  /// Compares an entry.
  ///
  /// - Parameter stream: The name of its stream.
  /// - Throws: ``AnnalsError`` if the entry cannot be read and the readers of the store stop at it.
  func compare(
    _ entry: borrowing LentEntry, of stream: StreamName
  ) throws(AnnalsError) -> ConditionResult
}

/// The result of an exact comparison.
package enum ConditionResult: Sendable {
  /// The entry does not match.
  case differs
  /// The entry matches.
  case matches
  /// The entry cannot be read, and may match.
  case unreadable
}

/// The first entry that refuses a call by its condition.
package struct ConditionMatch: Equatable, Sendable {
  package var position: Position
  /// Whether it cannot be read, so that it only may match.
  package var isUnreadable = false
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
  func firstMatch(_ reader: StoreReader) throws(AnnalsError) -> ConditionMatch? {
    var first: ConditionMatch?
    for condition in conditions {
      guard let found = try firstMatch(of: condition, reader) else { continue }
      if first.map({ found.position < $0.position }) ?? true { first = found }
    }
    return first
  }

  private func firstMatch(
    of condition: AppendCondition, _ reader: StoreReader
  ) throws(AnnalsError) -> ConditionMatch? {
    let after = condition.after?.rawValue ?? 0
    guard after < last else { return nil }
    let query = try condition.form.stored(kinds)
    if query.items.isEmpty { return nil }
    if query.hasNoKind, try !reader.requires(.originals) { return nil }
    var comparison: (any ConditionComparison)?
    guard query.isByTags else {
      let log = LogSteps(start: Position(after + 1), backwards: false, last: last, limit: .max)
      var cursor = try EntryCursor(reader, EntrySteps(log: log))
      while let entry = try cursor.next() {
        if let match = try match(entry, query, condition, &comparison, reader) { return match }
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
      if let match = try match(entry, query, condition, &comparison, reader) { return match }
    }
    return nil
  }

  /// Compares an entry with a condition.
  ///
  /// - Parameter comparison: The exact comparison, which the first entry makes.
  private func match(
    _ entry: borrowing LentEntry, _ query: StoredQuery, _ condition: AppendCondition,
    _ comparison: inout (any ConditionComparison)?, _ reader: StoreReader
  ) throws(AnnalsError) -> ConditionMatch? {
    guard try query.includes(entry) else { return nil }
    guard let exact = comparison ?? condition.form.comparison(kinds, generation) else {
      return ConditionMatch(position: entry.position)
    }
    comparison = exact
    switch try exact.compare(entry, of: reader.name(of: entry.stream)) {
    case .differs: return nil
    case .matches: return ConditionMatch(position: entry.position)
    case .unreadable: return ConditionMatch(position: entry.position, isUnreadable: true)
    }
  }
}
