internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

/// The rules of a pass that compute tags again, shared by all threads.
struct PassRetagging: Sendable {
  /// The rules of one stage.
  struct Stage: Sendable {
    let rules: StageRetagging
    /// The plan up to the stage's newer version.
    let reach: PlanResolver
    /// The steps of the pass's plan whose entries the rules may concern.
    let steps: Set<Int>
  }

  /// The stages that have such rules, oldest first.
  let stages: [Stage]
  /// The pass's plan.
  let reach: PlanResolver

  /// Collects the rules of a plan.
  ///
  /// - Returns: `nil` for a plan without any.
  init?(_ plan: CompiledPlan, _ contexts: StageContexts) throws(AnnalsError) {
    var stages: [Stage] = []
    for (index, work) in plan.works.enumerated() {
      guard var rules = try work.retagging?(contexts) else { continue }
      rules.plan.adopted = plan.adopted
      stages.append(
        Stage(rules: rules, reach: PlanResolver(rules.plan), steps: plan.retaggedSteps(ofStage: index)))
    }
    if stages.isEmpty { return nil }
    self.stages = stages
    reach = PlanResolver(plan)
  }

  /// The names of all tags that the rules compute, in order.
  var names: [String] {
    stages.reduce(into: Set<ExactText>()) { $0.formUnion($1.rules.names) }.sorted().map(\.text)
  }
}
