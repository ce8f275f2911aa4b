package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

// The rules of a call.
extension AppendGroup {
  /// The schema versions as they were before a call.
  struct Versions {
    var kinds: KindRegistry
    var begun: Set<UInt16>
    var hasRaisedEpoch: Bool
  }

  /// Makes sure that the log may store the events of a call as they are encoded, and notes the phases that
  /// begin with them.
  ///
  /// - Returns: The versions before, if any phase begins.
  /// - Throws: The reason for refusing the call; in that case nothing is changed.
  mutating func begin(_ call: AppendRequest) throws(AnnalsError) -> Versions? {
    var changes: [PhaseChange] = []
    for rule in call.rules { changes += try rule.admit(call, to: self) }
    if let refusal = kinds.refusal(of: call.records, known: recent?.record) { throw refusal }
    guard !changes.isEmpty else { return nil }
    let before = Versions(kinds: kinds, begun: begun, hasRaisedEpoch: hasRaisedEpoch)
    do throws(AnnalsError) {
      for change in changes { try note(change.phase, of: change.version, stability: change.stability) }
    } catch {
      restore(before)
      throw error
    }
    return before
  }

  /// Takes back the phases that began with a refused call.
  mutating func restore(_ versions: Versions) {
    kinds = versions.kinds
    begun = versions.begun
    hasRaisedEpoch = versions.hasRaisedEpoch
  }

  /// Makes sure that a call has every rule that the store demands, and applies its rules.
  ///
  /// - Returns: The reason for refusing the call; nothing of it is put then.
  /// - Throws: An error that ends the whole transaction.
  mutating func applyRules(
    of call: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError? {
    if let refusal = missingRule(of: call) { return refusal }
    for rule in call.rules {
      if let refusal = try rule.apply(call, to: &self, in: &transaction) { return refusal }
    }
    return nil
  }
}

extension AppendGroup {
  /// The reason for refusing a call that lacks a rule which the store demands; `nil` if it has all.
  func missingRule(of call: AppendRequest) -> AnnalsError? { call.missingRule(in: rules) }
}

extension AppendRequest {
  /// The reason for refusing the call because of a rule that a store demands; `nil` if it has all.
  package func missingRule(in demanded: [RuleRow]) -> AnnalsError? {
    for row in demanded where row.isInForce {
      if !rules.contains(where: { $0.satisfies(row) }) { return AnnalsError(row, missingIn: self) }
    }
    return nil
  }
}

extension AnnalsError {
  /// Creates the error for a call without a rule that the store demands.
  fileprivate init(_ row: RuleRow, missingIn call: AppendRequest) {
    guard !call.rules.isEmpty else {
      self.init(
        .needsPlan,
        "the store has the inline projection '\(row.name)', which every append must go through: append with a plan, by an EventStore that is opened with it"
      )
      return
    }
    self.init(
      .superseded,
      "every append must go through version \(row.version) of the inline projection '\(row.name)', which this program does not know: use one that opens the store with it"
    )
  }
}
