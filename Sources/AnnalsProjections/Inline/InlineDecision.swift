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
  /// Whether the open may replace a version in force with a raised one.
  let isActivating: Bool
  /// The members for which the open has retired a row with other tables.
  var replaced: Set<Int> = []

  /// The next step.
  enum Step: Equatable {
    /// A version gets a row.
    case begin(member: Int)
    /// A row is folded further, and put in force at the end of the log.
    case fold(member: Int, row: Int)
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
    for index in set.members.indices {
      guard let step = try step(of: index) else { continue }
      // Removing first frees the number for reuse.
      if case .begin = step, let retired { return .remove(row: retired) }
      return step
    }
    return retired.map { .remove(row: $0) }
  }

  /// Returns the next step for one projection; `nil` if it is in force up to the end of the log, or a later
  /// version of it is.
  func step(of index: Int) throws(AnnalsError) -> Step? {
    let member = set.members[index]
    let known = rows.indices.filter { rows[$0].state != .retired && member.isNamed(by: rows[$0]) }
    let inForce = known.first { rows[$0].state == .live && rows[$0].version != member.outline.version }
    // A program of an earlier version only reads. A later version that is still being built refuses no
    // program, because its build may never finish.
    if let inForce, rows[inForce].version > member.outline.version { return nil }
    guard let row = known.first(where: { rows[$0].version == member.outline.version }) else {
      if let inForce { try mustMayReplace(rows[inForce], index) }
      return .begin(member: index)
    }
    // Another version may have come into force since the fold began.
    if rows[row].state == .building, let inForce { try mustMayReplace(rows[inForce], index) }
    guard rows[row].text == member.outline.text, rows[row].isMandatory == member.isMandatory else {
      if rows[row].state == .building {
        // If the row has come back, another open is working on it. The two would replace each other's row
        // forever.
        guard replaced.contains(index) else { return .retire(row: row, member: index) }
        throw AnnalsError(
          .shapeChanged,
          "another program is folding version \(member.outline.version) of the inline projection '\(member.outline.name)' with other tables, or is mandatory where this one is not: give one of the two a higher version, or open the store again when the other has ended"
        )
      }
      throw AnnalsError(
        .shapeChanged,
        "version \(member.outline.version) of the inline projection '\(member.outline.name)' is in force with other tables, or is mandatory in one program and not in the other: give the projection a higher version"
      )
    }
    return rows[row].state == .building || rows[row].folded < last ? .fold(member: index, row: row) : nil
  }

  /// Throws `requiresActivation` if a projection may not replace an earlier version that is in force.
  private func mustMayReplace(_ old: RuleRow, _ index: Int) throws(AnnalsError) {
    guard last > 0, !isActivating else { return }
    let outline = set.members[index].outline
    throw AnnalsError(
      .requiresActivation,
      "version \(outline.version) of the inline projection '\(outline.name)' takes the place of version \(old.version), with which programs append: open the store once with activating, which folds the log and shuts those out"
    )
  }
}
