package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

/// The rule of a step of a roll-out that the log of a cluster brings.
///
/// The decision is that of a store of one machine. It reads the step and the phases of the store, which are
/// the same on all machines. Which programs run was looked at before the step came into the log.
package struct SharedRolloutRule: AppendRule {
  private let step: RolloutStep

  package init(_ step: RolloutStep) {
    self.step = step
  }

  package func admit(
    _ call: AppendRequest, to group: AppendGroup
  ) throws(AnnalsError) -> [PhaseChange] {
    let plan = RolloutPlan(version: step.version, stability: step.stability)
    let decision = RolloutDecision(plan, group.kinds)
    switch step.kind {
    case .activate:
      switch decision.activation(alongside: [], superseding: true) {
      case .failure(let refusal): throw AnnalsError(refusal, plan)
      case .success(let changes): return plan.phaseChanges(changes)
      }
    case .contract:
      guard let changes = decision.sharedContraction else {
        throw AnnalsError(
          .wrongUse,
          "version \(step.version) is not active in the cluster, so the older ones are not given up: activate it first; nothing was changed",
          details: AnnalsError.Details { $0.version = step.version })
      }
      return plan.phaseChanges(changes)
    }
  }
}

/// The steps of a version's roll-out in a store whose changes come from the log of a cluster.
struct SharedRollout {
  private let sequencer: any CommitSequencer
  private let plan: RolloutPlan

  /// Creates the roll-out of a store; `nil` for a store of this machine alone.
  init?(_ log: EventLog, _ plan: RolloutPlan) {
    guard let sequencer = log.options.sequencer else { return nil }
    self.sequencer = sequencer
    self.plan = plan
  }

  /// Passes a step to the cluster's log, and blocks the calling thread until it is applied here.
  ///
  /// - Parameter rules: What it does to the inline projections.
  /// - Returns: Whether it changed anything.
  func take(_ kind: RolloutStep.Kind, _ rules: RuleSwitch = RuleSwitch()) throws(AnnalsError) -> Bool {
    let step = RolloutStep(kind, plan.version, plan.stability, rules)
    let request = try AppendRequest(LogChange(.roll(step), author: "", reason: ""))
    return try !sequencer.appendBlocking(request).wasRepeated
  }
}

extension EventStore {
  /// Activates the plan's version and the store's inline projections in the cluster.
  ///
  /// The projections are folded here first. So a stored event that one of them refuses ends the activation
  /// before any machine hears of it.
  ///
  /// - Returns: Whether anything changed.
  func activateShared(_ shared: SharedRollout) throws(AnnalsError) -> Bool {
    let rows = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.ruleRows() }
    var change = RuleSwitch()
    for rule in rules {
      let own = rule.activation(of: rows)
      if own.isEmpty { continue }
      change = own
      // Rows that are not in force are no change of the log.
      let refusal = try ActivationWrite.fromCluster { () throws(AnnalsError) in try rule.build(own, log) }
      if let refusal { throw refusal }
    }
    return try shared.take(.activate, change)
  }

  /// Makes sure that the events of a call may come into the log of a cluster, which activates the bridges
  /// below their version first.
  ///
  /// - Throws: ``AnnalsError`` with code `busy` or `unrepresentable` if programs of older versions run.
  func beginShared(_ call: AppendRequest) throws(AnnalsError) {
    let plan = reach.rollout
    let later = call.records.first { reach.plan.hasNoOlderForm($0) }?.type
    guard plan.stability == .bridge && later != nil || !plan.bridges.isEmpty else { return }
    let kinds = try log.read { (snapshot) throws(AnnalsError) in snapshot.kinds }
    let answer = try RolloutDecision(plan, kinds).sharedAppend(hasLater: later != nil) {
      () throws(AnnalsError) in
      try log.options.sequencer?.listenForPrograms()
      return try log.programs()
    }
    switch answer {
    case .failure(let refusal):
      throw AnnalsError(refusal, plan, type: later, stream: call.parts.first?.stream)
    case .success(let bridges):
      for bridge in bridges.sorted() {
        _ = try SharedRollout(log, RolloutPlan(version: bridge, stability: .bridge))?.take(.activate)
      }
    }
  }
}
