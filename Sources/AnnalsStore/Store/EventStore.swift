public import AnnalsCoding
public import AnnalsLog

public import AnnalsSchema

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  public import Foundation
#endif

/// A typed event log. Events are stored in the version that wrote them and read in the plan's current
/// version.
///
/// It is a typed interface to an ``EventLog``. A process may have several stores and logs open at the same
/// path. The store closes when the last of them is released.
public struct EventStore<Plan: SchemaMigrationPlan>: Sendable {
  /// An event of the plan's current version.
  public typealias Event = Plan.Current.Event

  /// The untyped log, for audits and maintenance. Reads from it upcast nothing.
  public let log: EventLog
  package let reach: PlanResolver
  /// The contexts of the plan's stages.
  package let contextBytes: StageContexts
  /// The guard that the first append applies; `nil` if there is nothing to guard.
  package let beginning: StreamMoveGuard?
  /// The newest version above the plan's, other than a bridge, that had events in the store when it was
  /// opened. With such a version nothing can be appended.
  let newer: SchemaVersion?
  /// The roll-out phase that the plan's current version had before this open activated it; `nil` if this open
  /// did not activate it.
  let activatedFrom: RolloutPhase?
  /// Whether any record of the current version declares tags.
  let declaresTags = Event.hasTags
  /// The values that upper layers keep with the store.
  package let attachments = Attachments()
  /// The rules that its appends go through, for events in their newest form.
  package var rules: [any AppendRule]

  init(
    _ log: EventLog, _ reach: PlanResolver, _ contexts: StageContexts, beginning: StreamMoveGuard? = nil,
    newer: SchemaVersion? = nil, activatedFrom: RolloutPhase? = nil, rules: [any AppendRule]
  ) {
    self.rules = rules
    self.log = log
    self.reach = reach
    contextBytes = contexts
    self.beginning = beginning
    self.newer = newer
    self.activatedFrom = activatedFrom
  }

  /// The number of times that readers of this store have skipped an unreadable entry. It is always 0 without
  /// ``StoreOptions/Unreadable/quarantine(_:)``.
  public var quarantined: UInt64 { reach.quarantine?.count ?? 0 }

  /// The number of times that readers of this store have skipped an event of a type that only newer versions
  /// have. It is always 0 without ``StoreOptions/NewerTypes/skip``.
  public var skipped: UInt64 { reach.skipping?.count ?? 0 }

  /// Calls `body` with a consistent snapshot of the store.
  ///
  /// The snapshot shows every event committed before it began, and none committed later. Keep `body` short:
  /// LMDB cannot reuse freed pages while a snapshot is open.
  ///
  /// - Parameter body: Reads from the snapshot, which it cannot keep.
  /// - Throws: Any error that `body` throws, and ``AnnalsError`` with code `tooManyReaders`, `usedAfterFork`
  ///   or `inputOutput`.
  public func read<Result>(
    _ body: (borrowing StoreSnapshot<Event>) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    try body(snapshot())
  }

  /// Calls `body`, which may throw errors of its own, with a consistent snapshot of the store.
  @_disfavoredOverload
  public func read<Result>(_ body: (borrowing StoreSnapshot<Event>) throws -> Result) throws -> Result {
    try body(snapshot())
  }

  private func snapshot() throws(AnnalsError) -> StoreSnapshot<Event> {
    if !rules.isEmpty {
      let generation = log.core.generation
      for rule in rules { try rule.prepare(generation) }
    }
    return try StoreSnapshot(log.core, reach)
  }
}
