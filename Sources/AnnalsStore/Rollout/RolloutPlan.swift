internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

/// The plan's data about the roll-out of its current version, by which appends are decided.
package final class RolloutPlan: Sendable {
  /// The version that the program writes.
  let version: SchemaVersion
  let stability: SchemaStability
  /// The bridges below it in the plan.
  let bridges: [SchemaVersion]
  /// Whether some records are stored in another form before the version is active.
  let needsLowering: Bool
  /// Whether a pass may store events that programs of the previous version cannot read: downcast records, or
  /// types that it does not have.
  let passNeedsActivation: Bool

  init(
    version: SchemaVersion, stability: SchemaStability, bridges: [SchemaVersion] = [],
    needsLowering: Bool = false, makesLaterTypes: Bool = false
  ) {
    self.version = version
    self.stability = stability
    self.bridges = bridges
    self.needsLowering = needsLowering
    passNeedsActivation = needsLowering || makesLaterTypes
  }

  convenience init(_ plan: CompiledPlan) {
    self.init(
      version: plan.current.version, stability: plan.bridge == nil ? .released : .bridge,
      bridges: plan.schemas.dropFirst().dropLast().filter { $0.stability == .bridge }.map(\.version),
      needsLowering: plan.bridge?.needsLowering ?? false, makesLaterTypes: Self.makesLaterTypes(plan))
  }
}

extension RolloutPlan {
  /// The changes of phases, in the order of their versions.
  func phaseChanges(_ changes: [SchemaVersion: SchemaRow.Phase]) -> [PhaseChange] {
    changes.sorted { $0.key < $1.key }.map { changed, phase in
      PhaseChange(version: changed, phase: phase, stability: changed == version ? stability : .bridge)
    }
  }

  /// Whether rules of the last stage may return events of a type that the previous version does not have.
  private static func makesLaterTypes(_ plan: CompiledPlan) -> Bool {
    guard let forms = plan.bridge?.forms, let crossings = plan.crossings.last else { return false }
    return forms.indices.contains { number in
      guard case .later = forms[number] else { return false }
      return crossings.contains { crossing in
        if case .rule(let effect) = crossing { effect.allows(number) } else { false }
      }
    }
  }
}

/// The form in which the events of a call are stored.
enum EventForm: Hashable, Sendable {
  /// Their own, current form.
  case newest
  /// A form that programs of the previous version can read.
  case shared
}
