package import AnnalsCoding

/// A step of a schema version's roll-out that the log of a cluster has, so that every machine takes it at the
/// same place.
package struct RolloutStep: Hashable, Sendable {
  /// The kinds of steps.
  package enum Kind: UInt8, Sendable {
    /// From here on, no events of older versions are appended.
    case activate
    /// The older versions are retired: their programs no longer read the store.
    case contract
  }

  package var kind: Kind
  package var version: SchemaVersion
  /// The stability that the plan of the caller gives the version.
  package var stability: SchemaStability
  /// What an activation does to the inline projections.
  package var rules: RuleSwitch

  package init(
    _ kind: Kind, _ version: SchemaVersion, _ stability: SchemaStability, _ rules: RuleSwitch = RuleSwitch()
  ) {
    self.rules = rules
    self.kind = kind
    self.version = version
    self.stability = stability
  }
}
