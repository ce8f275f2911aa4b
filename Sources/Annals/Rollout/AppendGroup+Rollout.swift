internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

extension AppendGroup {
  /// Makes sure that the events of a call may be stored as what they were encoded, and notes the phases that
  /// begin with them.
  mutating func begin(_ request: AppendRequest) throws(AnnalsError) {
    var phases: [SchemaVersion: SchemaRow.Phase] = [:]
    // First of all: a form that is out of date is no reason to refuse the event.
    if let rollout = request.rollout { phases = try self.phases(for: rollout, request) }
    if let refusal = kinds.refusal(of: request.records) { throw refusal }
    if let version = request.movedBy.first(where: { !kinds.isActive($0) }) {
      throw AnnalsError(
        .busy,
        "streams of the store are as they were before version \(version) gave them other entries; nothing was written; try again",
        details: AnnalsError.Details { $0.version = version }, underlying: StreamsUnmoved())
    }
    guard let plan = request.rollout?.plan, !phases.isEmpty else { return }
    for (version, phase) in phases.sorted(by: { $0.key < $1.key }) {
      try note(phase, of: version, stability: version == plan.version ? plan.stability : .bridge)
    }
  }

  /// What the roll-out of a call's version says of it.
  ///
  /// - Returns: The phases that begin with the call where it is stored.
  /// - Throws: ``AnnalsError`` where it is refused, or must be encoded in another form.
  private func phases(
    for rollout: RequestRollout, _ request: AppendRequest
  ) throws(AnnalsError) -> [SchemaVersion: SchemaRow.Phase] {
    let decision = RolloutDecision(rollout.plan, kinds)
    let answer = try decision.append(hasLater: rollout.later != nil) { () throws(AnnalsError) in
      try ProgramLeases(directory, mayRemove: true).living()
    }
    switch answer {
    case .failure(let refusal):
      throw AnnalsError(
        refusal, rollout.plan, type: rollout.later, stream: request.parts.first?.stream)
    case .success(let verdict):
      if rollout.plan.needsLowering, verdict.form != rollout.form {
        throw AnnalsError(
          .busy,
          "the roll-out of version \(rollout.plan.version) went on while the call was on its way; nothing was written; try again",
          underlying: OtherForm(form: verdict.form))
      }
      return verdict.changes
    }
  }
}

extension KindRegistry {
  /// Notes how far the roll-out of a version is.
  ///
  /// - Returns: The version's ordinal and row.
  mutating func note(
    _ phase: SchemaRow.Phase, of version: SchemaVersion, stability: SchemaStability
  ) throws(AnnalsError) -> (ordinal: UInt16, row: SchemaRow) {
    let ordinal: UInt16
    do throws(Refusal) { ordinal = try self.ordinal(of: version) } catch {
      throw AnnalsError(.tooLarge, "the store has used up its numbers for schema versions")
    }
    var row =
      schemas[ordinal] ?? SchemaRow(version: version, stability: SchemaRow.Stability(stability))
    row.phase = phase
    take(ordinal: ordinal, row)
    return (ordinal, row)
  }
}
