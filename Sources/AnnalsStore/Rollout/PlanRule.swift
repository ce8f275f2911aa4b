internal import AnnalsLog
internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes

/// The rule of calls that a plan has encoded: the roll-out of its version decides in which form its events
/// are stored.
struct PlanRule: AppendRule {
  let resolver: PlanResolver
  /// The form in which the events of the call are encoded.
  let form: EventForm

  func admit(_ call: AppendRequest, to group: AppendGroup) throws(AnnalsError) -> [PhaseChange] {
    let plan = resolver.rollout
    let later = call.records.first { resolver.plan.hasNoOlderForm($0) }?.type
    let decision = RolloutDecision(plan, group.kinds)
    let answer = try decision.append(hasLater: later != nil) { () throws(AnnalsError) in
      try ProgramLeases(group.directory, mayRemove: true).living()
    }
    switch answer {
    case .failure(let refusal):
      throw AnnalsError(refusal, plan, type: later, stream: call.parts.first?.stream)
    case .success(let verdict):
      // The log asks here first: a form that is out of date is no reason to refuse the event.
      if plan.needsLowering, verdict.form != form {
        throw AnnalsError(
          .busy,
          "the roll-out of version \(plan.version) went on while the call was on its way; nothing was written; try again",
          underlying: OtherForm(form: verdict.form))
      }
      return plan.phaseChanges(verdict.changes)
    }
  }

  func oldestReader(of name: ExactText, version: SchemaVersion?, shape: StoredShape?) -> SchemaVersion? {
    resolver.readers.oldest(of: name, version: version, shape: shape)
  }
}
