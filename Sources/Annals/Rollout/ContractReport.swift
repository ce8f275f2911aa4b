public import AnnalsCoding

/// How a contraction is done.
public struct ContractOptions: Sendable {
  /// Whether nothing is done but the report.
  public var isRehearsal = false
  /// How many events that a migration pass has set aside are given up: the number that the report shows, or
  /// `nil` to give up none.
  public var givingUpQuarantined: UInt64?
  /// How many entries have been dropped, as the report shows it, where the contraction makes losses final; `nil` where nobody has seen it.
  public var confirming: UInt64?

  /// Nothing is given up, and nothing is confirmed.
  public init(
    isRehearsal: Bool = false, givingUpQuarantined: UInt64? = nil, confirming: UInt64? = nil
  ) {
    self.isRehearsal = isRehearsal
    self.givingUpQuarantined = givingUpQuarantined
    self.confirming = confirming
  }
}

/// What a contraction has done, or would do.
public struct ContractReport: Hashable, Sendable {
  /// Entries of one type and version of which only a stub is left.
  public struct Dropped: Hashable, Sendable {
    /// The name of the record type.
    public let type: String
    /// The version that they were stored under; `nil` for none.
    public let version: SchemaVersion?
    /// How many there are.
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
  /// How far it was.
  public let phase: RolloutPhase
  /// Types and versions of which events are left that a migration pass must rewrite first.
  public let older: [CensusLine]
  /// How many events of older versions a migration pass has set aside: each part of an entry counts.
  public let quarantined: UInt64
  /// The programs that end below the version and have the store open.
  public let olderPrograms: [LiveProgram]
  /// What rules have dropped whole. Dropped parts of entries of which other parts are left are in the report
  /// of the pass.
  public let dropped: [Dropped]
  /// Types and versions of which events are left that the plan retains as they are stored. They stay, and
  /// older versions of the plan still read them.
  public let retained: [CensusLine]
  /// What stages have removed from records without a rule: what the fields held went with the migration pass.
  public let removedFields: [RemovedField]
  /// The fields that rules have read and the newer records do not have. What became of them is the rule's
  /// work, and no loss by itself.
  public let convertedFields: [RemovedField]
  /// The versions whose stages have something worked out from the whole log, which goes. What retained
  /// events are read with is kept, and not listed.
  public let contexts: [SchemaVersion]
  /// Whether the older versions are given up now.
  public internal(set) var isContracted = false

  /// How many entries have been dropped: what must be confirmed where there are losses.
  public var droppedEntries: UInt64 { dropped.reduce(0) { $0 &+ $1.count } }
  /// Whether anything is lost for good with the older versions.
  public var hasLosses: Bool { !dropped.isEmpty || !removedFields.isEmpty || !contexts.isEmpty }
}
