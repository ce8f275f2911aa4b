package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
internal import AnnalsSchema
internal import LMDB

/// The steps of a version's roll-out. Each runs in one transaction, which checks the programs that have the
/// store open.
package struct Rollout {
  package let log: EventLog
  package let plan: RolloutPlan

  package init(log: EventLog, plan: RolloutPlan) {
    self.log = log
    self.plan = plan
  }

  private var leases: ProgramLeases { ProgramLeases(log.core.generation.directory, mayRemove: true) }

  /// Makes the version active.
  ///
  /// - Parameter superseding: Whether to activate although programs of older versions have the store open.
  /// - Returns: Whether it was not active before.
  func activate(superseding: Bool) throws(AnnalsError) -> Bool {
    return try change { (decision) throws(AnnalsError) in
      decision.activation(alongside: try leases.living(), superseding: superseding)
    }
  }

  /// Makes the version active if no program of an older one has the store open; otherwise, and if it is
  /// active, does nothing.
  ///
  /// - Returns: Whether it is active.
  func activateIfFree() throws(AnnalsError) -> Bool {
    var isActive = true
    _ = try change { (decision) throws(AnnalsError) in
      switch decision.activation(alongside: try leases.living(), superseding: false) {
      case .success(let changes): return .success(changes)
      case .failure:
        isActive = false
        return .success([:])
      }
    }
    return isActive
  }

  /// Makes sure that entries may be rewritten in the version: a pass stores all of them so at once.
  ///
  /// - Returns: Whether a phase of it began.
  /// - Throws: ``AnnalsError`` with code `requiresActivation` on a member of a cluster, where a pass changes
  ///   no phase.
  package func beginPass() throws(AnnalsError) -> Bool {
    if try log.belongsToCluster() {
      try mustSuitCluster()
      return false
    }
    guard try isUndecided() else { return false }
    return try change { (decision) throws(AnnalsError) in
      let programs = try leases.living()
      switch decision.append({ () throws(Never) in programs }) {
      case .failure(let refusal): return .failure(refusal)
      case .success(let verdict) where verdict.form == .shared && plan.passNeedsActivation:
        return decision.activation(alongside: programs, superseding: false)
      case .success(let verdict): return .success(verdict.changes)
      }
    }
  }

  /// Whether the form of the version's events depends on more than its presence.
  private func isUndecided() throws(AnnalsError) -> Bool {
    let decision = RolloutDecision(plan, try log.read { (snapshot) throws(AnnalsError) in snapshot.kinds })
    var isAsked = false
    let answer = decision.append { () throws(Never) -> [LiveProgram] in
      isAsked = true
      return []
    }
    guard !isAsked, case .success(let verdict) = answer else { return true }
    return verdict.form == .shared && plan.passNeedsActivation
  }

  /// Throws if a pass would store events in a form that programs of the cluster may not be able to read.
  private func mustSuitCluster() throws(AnnalsError) {
    let decision = RolloutDecision(plan, try log.read { (snapshot) throws(AnnalsError) in snapshot.kinds })
    guard plan.passNeedsActivation, !decision.isActive else { return }
    throw AnnalsError(
      .requiresActivation,
      "version \(plan.version) is a bridge that is not active in the cluster, and a pass would store events that older programs cannot read: activate it on one machine, and begin the pass then",
      details: AnnalsError.Details { $0.version = plan.version })
  }

  private func change(
    _ decide: (RolloutDecision) throws(AnnalsError) -> Result<
      [SchemaVersion: SchemaRow.Phase], RolloutDecision.Refusal
    >
  ) throws(AnnalsError) -> Bool {
    try ActivationWrite(log).run { (transaction, tables, kinds) throws(AnnalsError) in
      switch try decide(RolloutDecision(plan, kinds)) {
      case .failure(let refusal): throw AnnalsError(refusal, plan)
      case .success(let changes):
        try Self.put(changes, plan, kinds, tables, &transaction)
        return !changes.isEmpty
      }
    }
  }

  /// Puts the rows of versions whose phases change.
  static func put(
    _ changes: [SchemaVersion: SchemaRow.Phase], _ plan: RolloutPlan, _ kinds: KindRegistry,
    _ tables: StoreTables, _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    var kinds = kinds
    for (version, phase) in changes.sorted(by: { $0.key < $1.key }) {
      let stability = version == plan.version ? plan.stability : .bridge
      let (ordinal, row) = try kinds.note(phase, of: version, stability: stability)
      try transaction.put(row.encoded(), UInt64(ordinal), in: tables.schemas)
    }
  }
}
