public import AnnalsCoding
public import AnnalsLog

/// The options of a contraction.
public struct ContractOptions: Sendable {
  /// Whether to only report, without changing anything.
  public var isRehearsal = false
  /// The number of quarantined events to discard, as shown in the report; `nil` to discard none.
  public var givingUpQuarantined: UInt64?
  /// The number of dropped entries, as shown in the report, to confirm the losses that the contraction makes
  /// final; `nil` for no confirmation.
  public var confirming: UInt64?

  /// Creates options that discard nothing and confirm nothing.
  public init(
    isRehearsal: Bool = false, givingUpQuarantined: UInt64? = nil, confirming: UInt64? = nil
  ) {
    self.isRehearsal = isRehearsal
    self.givingUpQuarantined = givingUpQuarantined
    self.confirming = confirming
  }
}

/// The result of a contraction, or of its rehearsal.
public struct ContractReport: Hashable, Sendable {
  /// Entries of one type and version that are now only stubs.
  public struct Dropped: Hashable, Sendable {
    /// The name of the record type.
    public let type: String
    /// The version under which they were stored; `nil` for none.
    public let version: SchemaVersion?
    /// The number of entries.
    public let count: UInt64
  }
  /// A field that the next version does not have.
  public struct RemovedField: Hashable, Sendable {
    /// The version that still has it.
    public let version: SchemaVersion
    /// The name of the record type there.
    public let type: String
    /// The name of the field on disk.
    public let field: String
  }

  /// The plan's current version.
  public let version: SchemaVersion
  /// The version's phase before the contraction.
  public let phase: RolloutPhase
  /// Types and versions with remaining events that a migration pass must rewrite first.
  public let older: [CensusLine]
  /// The number of quarantined events of older versions, counting each part of an entry.
  public let quarantined: UInt64
  /// The programs that end below the version and have the store open.
  public let olderPrograms: [LiveProgram]
  /// Entries that rules have dropped as a whole. Parts dropped from entries that keep other parts are in the
  /// report of the pass.
  public let dropped: [Dropped]
  /// Types and versions with events that the plan retains as they are stored. They stay, and older versions
  /// of the plan still read them.
  public let retained: [CensusLine]
  /// Fields that stages have removed from records without a rule. The migration pass has removed their
  /// values.
  public let removedFields: [RemovedField]
  /// Fields that rules have read and that the newer records do not have. The rules have converted them, so
  /// they are not losses in themselves.
  public let convertedFields: [RemovedField]
  /// The versions whose stages have contexts or folds that are removed. Versions that retained events need
  /// are kept, and not listed.
  public let contexts: [SchemaVersion]
  /// Whether the older versions are retired now.
  public internal(set) var isContracted = false

  /// The number of dropped entries, to be confirmed if there are losses.
  public var droppedEntries: UInt64 { dropped.reduce(0) { $0 &+ $1.count } }
  /// Whether anything is lost permanently with the older versions.
  public var hasLosses: Bool { !dropped.isEmpty || !removedFields.isEmpty || !contexts.isEmpty }
}
