/// What a plan says of the roll-out of its current version: all that an append is decided by.
final class RolloutPlan: Sendable {
  /// The version that the program writes.
  let version: SchemaVersion
  let stability: SchemaStability
  /// The bridges below it in the plan.
  let bridges: [SchemaVersion]
  /// Whether some records are stored otherwise before the version is active than after.
  let needsLowering: Bool

  init(
    version: SchemaVersion, stability: SchemaStability, bridges: [SchemaVersion] = [],
    needsLowering: Bool = false
  ) {
    self.version = version
    self.stability = stability
    self.bridges = bridges
    self.needsLowering = needsLowering
  }

  convenience init(_ plan: CompiledPlan) {
    self.init(
      version: plan.current.version, stability: plan.bridge == nil ? .released : .bridge,
      bridges: plan.schemas.dropFirst().dropLast().filter { $0.stability == .bridge }.map(\.version),
      needsLowering: plan.bridge?.needsLowering ?? false)
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
