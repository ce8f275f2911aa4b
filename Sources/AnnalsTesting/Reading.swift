import Annals

/// What a plan makes of given events, and how many of them it retains.
struct Reading: Sendable {
  /// What comes out of all events together.
  let outcome: Outcome
  /// How many events were given.
  let given: Int
  /// How many of them a stage keeps as they are stored.
  let retained: Int

  /// Whether every event is retained, and so gives nothing.
  var isRetained: Bool { given > 0 && retained == given }

  /// What comes out, in words.
  var lines: [String] {
    if isRetained { return ["retained"] }
    return (retained == 0 ? [] : ["\(retained) of \(given) events retained"]) + outcome.lines
  }
}

extension PlanPipeline {
  /// Whether a stage keeps payloads that are stored like `form` as they are.
  func retains(_ form: StoredForm) -> Bool {
    guard let entrance = try? plan.entrance(of: form.kind, unversioned: plan.adopted) else { return false }
    return plan.steps[entrance.step].retainedBy != nil
  }
}
