internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsCoding

/// The decision about the next step an open must take before the projections of a set are in force. It
/// changes nothing itself.
struct InlineDecision {
  let set: InlineSet
  /// The rows that the store has.
  let rows: [RuleRow]
  /// The position of the newest entry; 0 in an empty log.
  let last: UInt64
  /// Whether new and raised versions may come into force. In an empty log they always may.
  let isActivating: Bool
  /// The members for which the open has retired a row with other tables.
  var replaced: Set<Int> = []
  /// The versions that may come into force in a store whose changes come from the log of a cluster; `nil` for
  /// any other store.
  var shared: [RuleVersion]?

  /// The next step.
  enum Step: Equatable {
    /// A version gets a row.
    case begin(member: Int)
    /// A row is folded further.
    case fold(member: Int, row: Int)
    /// Rows that are all folded up to the end of the log come into force together.
    case putInForce(rows: [Int])
    /// A row that was never in force is retired, because a member has other tables in the same version.
    case retire(row: Int, member: Int)
    /// Rows of a version that is no longer in force are removed.
    case remove(row: Int)
  }

  /// Returns the next step; `nil` if nothing is left to do.
  ///
  /// - Throws: ``AnnalsError`` with code `shapeChanged` or `requiresActivation`.
  func next() throws(AnnalsError) -> Step? {
    let retired = rows.firstIndex { $0.state == .retired }
    var ready: [Int] = []
    for index in set.members.indices {
      guard let step = try step(of: index) else { continue }
      if case .fold(_, let row) = step, rows[row].folded == last {
        ready.append(row)
        continue
      }
      // Removing first frees the number for reuse.
      if case .begin = step, let retired { return .remove(row: retired) }
      return step
    }
    if !ready.isEmpty { return .putInForce(rows: ready) }
    return retired.map { .remove(row: $0) }
  }

  /// Returns the next step for one projection alone; `nil` if it is in force up to the end of the log, if a
  /// later version of it is, or if only an activation may put it in force.
  func step(of index: Int) throws(AnnalsError) -> Step? {
    let member = set.members[index]
    let known = rows.indices.filter { rows[$0].state != .retired && member.isNamed(by: rows[$0]) }
    if let inForce = known.first(where: { rows[$0].isInForce }) {
      // A program of an earlier version only reads.
      if rows[inForce].version > member.outline.version { return nil }
      if rows[inForce].version == member.outline.version {
        guard rows[inForce].text == member.outline.text else {
          throw AnnalsError(changedTablesOf: member.outline)
        }
        // A repair, or a pass that moved streams, has left the rows incomplete, and appends wait for them.
        return rows[inForce].folded < last ? .fold(member: index, row: inForce) : nil
      }
    }
    // Until an activation the store behaves as if a new or raised version were absent.
    let mayBegin =
      shared.map { $0.contains(member.named) } ?? (!member.isRetiring && (isActivating || last == 0))
    guard mayBegin else { return nil }
    guard let row = known.first(where: { rows[$0].version == member.outline.version }) else {
      return .begin(member: index)
    }
    if rows[row].text == member.outline.text { return .fold(member: index, row: row) }
    // If the row has come back, another open is working on it. The two would replace each other's row
    // forever.
    guard replaced.contains(index) else { return .retire(row: row, member: index) }
    throw AnnalsError(
      .shapeChanged,
      "another program is folding version \(member.outline.version) of the inline projection '\(member.outline.name)' with other tables: give one of the two a higher version, or open the store again when the other has ended"
    )
  }
}
