internal import AnnalsCoding
internal import AnnalsSchema

/// What a plan says of the roll-out of its current version: all that an append is decided by.
final class RolloutPlan: Sendable {
  /// The version that the program writes.
  let version: SchemaVersion
  let stability: SchemaStability
  /// The bridges below it in the plan.
  let bridges: [SchemaVersion]
  /// Whether some records are stored otherwise before the version is active than after.
  let needsLowering: Bool
  /// Whether a pass may store what programs of the version before cannot read: such records, or ones of a type that they do not have.
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
  /// Whether rules of the last stage may give events of a type that the version before does not have.
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

/// As what the events of a call are stored.
enum EventForm: Hashable, Sendable {
  /// As what they are.
  case newest
  /// In a way that programs of the version before can live with.
  case shared
}

/// What an encoded call says of the roll-out that it is part of.
struct RequestRollout: Sendable {
  let plan: RolloutPlan
  /// As what its events are encoded.
  let form: EventForm
  /// A type of it that the version before has nothing for; `nil` where it has none.
  var later: ExactText?
}
