internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

// Taking erased events out of the rows of inline projections.
extension InlineRule {
  func erase(
    _ entries: [ErasedEntry], from group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Set<Int> {
    var whole: Set<Int> = []
    for (index, member) in set.members.enumerated() {
      guard let row = set.row(of: index, inForceIn: group.rules) else { continue }
      let kinds = group.kinds.kinds
      let meant = entries.filter { entry in
        entry.kinds.contains { number in
          kinds[number].map { member.sources.mayReach(version: $0.version, name: ExactText($0.row.name)) }
            ?? true
        }
      }
      // Rows that are to be folded again remain so.
      guard group.rules[row].folded == group.last, group.rules[row].text == member.outline.text else {
        continue
      }
      var isWhole = meant.isEmpty
      if !isWhole {
        isWhole = try erase(meant, from: index, group.rules[row].number, group, in: &transaction)
      }
      if isWhole { whole.insert(row) }
    }
    // Rows in memory may be those of erased events.
    group.ruleMemory = nil
    return whole
  }

  /// Takes entries out of the rows of one projection.
  ///
  /// - Returns: Whether that is done; `false` if the projection cannot, and nothing has changed.
  private func erase(
    _ entries: [ErasedEntry], from member: Int, _ number: UInt16, _ group: borrowing AppendGroup,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Bool {
    guard let eraser = set.members[member].eraser,
      let table = transaction.environment.later(StoreTables.inline.name)
    else { return false }
    var events: [ErasedEvent] = []
    for entry in entries {
      events.append(
        ErasedEvent(
          position: entry.position,
          stream: try StoreReader(transaction.view, group.tables).name(of: entry.stream),
          revision: entry.revision))
    }
    return try set.room().erase(events, from: member, number, eraser, table, in: &transaction)
  }
}

extension InlineContext {
  /// Takes events out of the rows of one projection, and puts the changed rows.
  ///
  /// - Returns: Whether that is done; `false` if the callback or a row is refused, and nothing has changed.
  fileprivate func erase(
    _ events: [ErasedEvent], from member: Int, _ number: UInt16, _ eraser: RowEraser, _ table: Table,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Bool {
    let staging = stagings[member]
    do {
      let source = RowSource(
        transaction.view, table, prefix: RuleRow.keyPrefix(number), name: set.members[member].outline.name)
      var rows = ProjectionRows(staging, source)
      for event in events {
        staging.enter(event.position.rawValue)
        try eraser(event, &rows)
      }
      try staging.check()
    } catch {
      if let failure = staging.failure { throw failure }
      return false
    }
    try staging.flush(into: &transaction, table)
    return true
  }
}
