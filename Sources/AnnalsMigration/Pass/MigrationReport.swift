public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsSchema
internal import AnnalsLog
internal import AnnalsStore

/// The result of a migration pass.
public struct MigrationReport: Hashable, Codable, Sendable {
  /// Events that a rule dropped, for one reason.
  public struct Dropped: Hashable, Codable, Sendable {
    /// The type that they were stored as, or that of the entry they are part of.
    public var type: String
    /// The reason that the rule states.
    public var reason: String
    /// The number of events. Each part of an entry counts, even if other parts remain.
    public var count: UInt64
  }

  /// Events of one type that the plan keeps in the log as they are stored.
  public struct Retained: Hashable, Codable, Sendable {
    /// The type that they are stored as.
    public var type: String
    /// The version that they are stored in; `nil` for none.
    public var version: SchemaVersion?
    /// The number of events. Each part of an entry counts.
    public var count: UInt64
  }

  /// Whether there was anything to do; if not, the store is unchanged.
  public var isDone: Bool
  /// Whether nothing was written.
  public var isRehearsal = false
  /// The generation in use now.
  public var generation: UInt64
  /// The generation that it was copied from, and to which a rollback returns; the same number if nothing was
  /// done.
  public var predecessor: UInt64
  /// The number of entries in the log.
  public var entries: UInt64
  /// The number of entries that were decoded, upcast and encoded again. It includes the earlier work of an
  /// interrupted pass, if this version of the library began it.
  public var rewritten: UInt64 = 0
  /// The number of events that were dropped, by type and reason; counted as ``rewritten`` is.
  public var dropped: [Dropped] = []
  /// The numbers of events that a ``Retain(_:)`` of the plan keeps as they are stored, by type and version,
  /// even if nothing was done. They are not among ``rewritten`` or ``dropped``.
  public var retained: [Retained] = []
  /// The fields that stored events have lost, in the order of their first events; counted as ``rewritten``
  /// is.
  public var removedFields: [RemovedField] = []
  /// The number of entries that were split; counted as ``rewritten`` is.
  public var split: UInt64 = 0
  /// The number of events that a fold combined into a later one of their stream. They are among ``dropped``,
  /// and counted as ``rewritten`` is.
  public var folded: UInt64 = 0
  /// The number of entries whose tags a ``Retag(_:_:)`` of the plan has changed; counted as ``rewritten`` is.
  public var retagged: UInt64 = 0
  /// The number of entries that went to another stream; counted as ``rewritten`` is.
  public var moved: UInt64 = 0
  /// The number of events that are in quarantine, counting each part of an entry.
  public var quarantined: UInt64 = 0
  /// The number of contents of attachments that were removed because no event refers to them.
  public var removedAttachments: UInt64 = 0
  /// The length of the old file in bytes.
  public var bytesBefore: UInt64 = 0
  /// The length of the new file in bytes; in a rehearsal an estimate, and 0 if there is nothing to do.
  public var bytesAfter: UInt64 = 0
  /// The number of seconds that the pass took.
  public var seconds: Double = 0
  /// The number of seconds that writers waited for the switch.
  public var secondsLocked: Double = 0
  /// The position after which an interrupted pass was continued; 0 where it began again.
  public var resumedAt: UInt64 = 0
  /// Whether the store refuses appends until the new generation is accepted.
  public var isHeld = false
  /// What both generations deliver, as a number to keep: it changes with any event, position, path, stream,
  /// revision or time. For a pass that moves entries to other streams, it covers their names in place of
  /// streams and revisions.
  public var digest: String = ""

  init(isDone: Bool, generation: UInt64, predecessor: UInt64, entries: UInt64) {
    self.isDone = isDone
    self.generation = generation
    self.predecessor = predecessor
    self.entries = entries
  }
}

extension MigrationReport.Retained {
  /// What `plan` retains of a generation with this census; nothing where there is no plan.
  static func all(
    _ plan: CompiledPlan?, _ census: [UInt32: CensusRow], _ kinds: KindRegistry
  ) -> [MigrationReport.Retained] {
    var all: [MigrationReport.Retained] = []
    for (kind, count) in plan?.retained(census, kinds) ?? [] {
      // By name and by shape they are two kinds, and one record.
      let known = all.firstIndex {
        ExactText($0.type) == ExactText(kind.row.name) && $0.version == kind.version
      }
      if let known {
        all[known].count &+= count
      } else {
        all.append(MigrationReport.Retained(type: kind.row.name, version: kind.version, count: count))
      }
    }
    return all
  }
}
