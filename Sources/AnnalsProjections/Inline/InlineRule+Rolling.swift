package import AnnalsCoding
package import AnnalsFormat
internal import AnnalsLog
package import AnnalsStore
internal import LMDB

// Inline projections that come into force in a cluster, at a place in its log.
extension InlineRule {
  func activation(of rules: [RuleRow]) -> RuleSwitch {
    let inForce = rules.filter(\.isInForce).map(RuleVersion.init)
    let wanted = set.members.filter { !$0.isRetiring }.map(\.named)
    let begins = wanted.filter { !inForce.contains($0) }
    let ends = set.members.filter(\.isRetiring).map(\.named).filter { old in
      inForce.contains(old) && !wanted.contains { $0.isNamed(as: old) }
    }
    return RuleSwitch(begins: begins.inOrder, ends: ends.inOrder)
  }

  func build(_ rules: RuleSwitch, _ log: EventLog) throws(AnnalsError) -> AnnalsError? {
    guard !rules.begins.isEmpty else { return nil }
    var registration = try InlineRegistration(
      log, set, isActivating: true, shared: rules.begins, isFoldingOnly: true)
    do throws(AnnalsError) { try registration.run { () throws(AnnalsError) in } } catch {
      guard let refusal = registration.refusal, refusal.code.isVerdict else { throw error }
      return refusal
    }
    return nil
  }

  func roll(
    _ rules: RuleSwitch, _ group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Bool, AnnalsError> {
    let before = group.rules.filter(\.isInForce).map(RuleVersion.init).inOrder
    guard let after = rules.applied(to: before) else {
      return .failure(
        AnnalsError(
          .superseded,
          "later versions of the program's inline projections are in force in the cluster; nothing was changed"
        ))
    }
    guard after != before else { return .success(false) }
    for new in after where !before.contains(new) {
      let row = group.rules.firstIndex { row in
        row.state == .building && RuleVersion(row) == new && row.folded == group.last
          && set.members.contains { $0.named == new && $0.outline.text == row.text }
      }
      // A pass has ended since they were folded, and has left them out.
      guard let row else {
        throw AnnalsError(
          .busy, "the rows of the inline projection '\(new.name)' are not folded up to the end of the log")
      }
      try group.rules.putInForce(row, group.tables, in: &transaction)
    }
    for row in group.rules.indices
    where group.rules[row].isInForce && !after.contains(RuleVersion(group.rules[row])) {
      try group.rules.retire(row, group.tables, in: &transaction)
    }
    // A pass that began earlier does not copy the rows.
    try group.raiseEpoch()
    group.hasAppliedRules = true
    return .success(true)
  }
}

extension RuleVersion {
  /// The version of a row.
  init(_ row: RuleRow) {
    self.init(name: row.name, version: UInt64(row.version))
  }
}

extension EventStore {
  /// The versions of inline projections with which the store was opened, retiring ones included.
  package var knownRules: Set<RuleVersion> { Set(inline?.members.map(\.named) ?? []) }

  /// Puts the inline projections in force with which a cluster began, in a store without entries.
  package func beginInline(_ rules: [RuleVersion]) throws(AnnalsError) {
    guard let inline else { return }
    let isEmpty = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.last() == 0 }
    guard isEmpty else { return }
    var registration = try InlineRegistration(log, inline, isActivating: false, shared: rules)
    try registration.run { () throws(AnnalsError) in }
  }
}
