import Annals

/// The results of a plan for given events, and how many of them it retains.
struct Reading: Sendable {
  /// The outcome of all events together.
  let outcome: Outcome
  /// The number of events given.
  let given: Int
  /// The number of events that a stage retains as they are stored.
  let retained: Int

  /// Whether every event is retained, and so none is delivered.
  var isRetained: Bool { given > 0 && retained == given }

  /// The outcome in words.
  var lines: [String] {
    if isRetained { return ["retained"] }
    return (retained == 0 ? [] : ["\(retained) of \(given) events retained"]) + outcome.lines
  }
}

extension PlanPipeline {
  /// Whether a stage retains payloads that are stored like `form`.
  func retains(_ form: StoredForm) -> Bool {
    guard let entrance = try? plan.entrance(of: form.kind, unversioned: plan.adopted) else { return false }
    return plan.steps[entrance.step].retainedBy != nil
  }
}
