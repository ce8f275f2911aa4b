public import AnnalsCoding
public import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A log of the events of one plan: whatever version an event was stored under, it is read in the plan's current one.
///
/// It is a typed face on an ``EventLog``. Several stores and logs of one process may be open at the same path. The store closes when the last
/// of them is released.
public struct EventStore<Plan: SchemaMigrationPlan>: Sendable {
  /// An event of the plan's current version.
  public typealias Event = Plan.Current.Event

  /// The log as it is stored, for audits and maintenance: nothing read from it is upcast.
  public let log: EventLog
  let reach: PlanReach
  /// The contexts of the plan's stages.
  let contextBytes: StageContexts
  /// The pass that goes on beside the store.
  let background: BackgroundMigration?
  /// The views of the store.
  let viewing = ViewHolder()
  /// What the first append has to say; `nil` where nothing is to be said.
  let beginning: StreamBeginning?
  /// The newest version above the plan's, and no bridge, that the store had events of when it was opened; then nothing is appended.
  let newer: SchemaVersion?
  /// How far the plan's current version was before the open activated it; `nil` where it did not.
  let activatedFrom: RolloutPhase?
  /// The inline projections; `nil` for none.
  let inline: InlineSet?

  /// Opens the store at `url`, or creates it there.
  ///
  /// The plan is checked first, then that every stored event has a path to the plan's current version. A failed open
  /// changes no byte of the data. A store that has events of versions above the plan's opens if the plans
  /// that wrote them let the
  /// plan's current version read all of them; then nothing
  /// is appended, but where those versions are bridges that are not active yet (docs/schema-evolution.md).
  ///
  /// - Parameters:
  ///   - url: The store's directory, `something.annals` by custom, on a local file system.
  ///   - plan: The schema versions and the stages between them.
  ///   - options: What may be done, and what happens where there is no store.
  ///   - inline: The projections that are folded in the transaction of each append, and may refuse it. One that the store does not have yet is folded from the whole log,
  ///     between appends of others, before this returns; a raised version of one that it has, only with `activating`.
  /// - Throws: ``AnnalsError`` with code `invalidPlan` (lists every problem), `noPath`, `newerSchema`, `shapeChanged`, `requiresActivation`, `requiresPass` or `storeTooOld`
  ///   (`details.kinds` lists every type, version, count, first position and missing step), or as
  ///   ``EventLog/init(at:options:)``. Where it activates also `undeclaredFields`, `ruleFailed`, `tooLarge`,
  ///   `malformed`, `busy`, `held` and what `prepare` throws of this type.
  ///   Where it folds inline projections also `rejected` with the position of the event that one refuses, `ruleFailed`, `busy` and `held`.
  /// - Complexity: O(schema versions and record types), whatever the length of the log.
  public init(
    at url: URL, plan: Plan.Type, options: StoreOptions = StoreOptions(),
    inline: [any InlineProjection<Event>.Type] = []
  ) throws(AnnalsError) {
    let unprepared = try CompiledPlan(plan)
    log = try EventLog(unsettled: url, options: options)
    // Before anything of the store is looked at: who appends behind that look knows of this program.
    let lease = try ProgramLease.take(unprepared.current.version, options, in: log.core.generation.directory)
    try Self.mustNotLower(unprepared, log)
    let migration = try Self.moveStreams(log, unprepared, options)
    let quarantine = Quarantine(options.unreadable)
    let activation = Activation(log, unprepared, quarantine)
    let before = try log.read { (snapshot) in snapshot.kinds.row(of: unprepared.current.version)?.phase }
    if options.activating {
      // Nothing is changed for a plan that could not read the store afterwards.
      let presumed = PlanReach(unprepared, skipping: SkippedEvents(options.newerTypes), isAdopting: true)
      _ = try log.read { (snapshot) throws(AnnalsError) in
        try presumed.prove(snapshot.reader.census(), snapshot.kinds)
      }
      try activation.run()
      let rollout = Rollout(log: log, plan: presumed.rollout)
      if rollout.plan.stability == .bridge, options.access == .readWrite { try rollout.activateIfFree() }
    }
    let contexts = try activation.contexts()
    let reach = PlanReach(
      contexts.isEmpty ? unprepared : try CompiledPlan(plan, contexts),
      quarantine, skipping: SkippedEvents(options.newerTypes), lease: lease)
    let after = try log.read { (snapshot) in snapshot.kinds.row(of: unprepared.current.version)?.phase }
    activatedFrom = options.activating && before != after && after == .active ? RolloutPhase(before) : nil
    let (newer, bridges) = try log.read { (snapshot) throws(AnnalsError) in
      try reach.mustNotBeContracted(snapshot.kinds)
      let newer = try reach.prove(snapshot.reader.census(), snapshot.kinds)
      return (newer, newer.filter { snapshot.kinds.row(of: $0)?.stability == .bridge })
    }
    // What may be appended beside a bridge is decided by how far that is.
    self.newer = newer.subtracting(bridges).max()
    try activation.mustBeDone(contexts)
    self.inline = try InlineSet(inline, reach.plan, log: log.id)
    beginning = Self.beginning(log, reach.plan)
    self.reach = reach
    contextBytes = contexts
    var work = PassWork(reach.plan, contexts)
    work.inline = self.inline
    // A program below what the store has reads it, and rewrites nothing.
    let isDue = newer.isEmpty ? try Self.isDue(log, work, migration) : false
    try log.core.place.settle()
    if let set = self.inline {
      var registration = InlineRegistration(log, set, isActivating: options.activating)
      try registration.run()
    }
    background = isDue ? try Self.migrate(log, work, migration) : nil
  }

  /// How often readers of this store have passed over an entry that they could not read; always 0 but with ``StoreOptions/Unreadable/quarantine(_:)``.
  public var quarantined: UInt64 { reach.quarantine?.count ?? 0 }

  /// How often readers of this store have passed over an event of a type that only newer versions have; always 0 but with ``StoreOptions/NewerTypes/skip``.
  public var skipped: UInt64 { reach.skipping?.count ?? 0 }

  /// What the store at `url` says of itself, without a plan and without changing anything.
  ///
  /// - Throws: As ``EventLog/inspect(_:)``.
  public static func inspect(_ url: URL) throws(AnnalsError) -> LogInfo {
    try EventLog.inspect(url)
  }

  /// Lends a snapshot of the store to `body`.
  ///
  /// The snapshot shows every event that was committed when it began and none that comes later. While it lives, disk
  /// space of replaced pages is not used again, so keep the body short.
  ///
  /// - Parameter body: Reads from the snapshot, which cannot be kept.
  /// - Throws: What `body` throws, and ``AnnalsError`` with code `tooManyReaders`, `usedAfterFork` or `inputOutput`.
  public func read<Result>(
    _ body: (borrowing StoreSnapshot<Event>) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    try body(snapshot())
  }

  /// Lends a snapshot of the store to `body`, which may throw errors of its own.
  @_disfavoredOverload
  public func read<Result>(_ body: (borrowing StoreSnapshot<Event>) throws -> Result) throws -> Result {
    try body(snapshot())
  }

  private func snapshot() throws(AnnalsError) -> StoreSnapshot<Event> {
    // Before the snapshot begins, which reads no table that is opened later.
    if inline != nil, log.core.generation.inline == nil { try log.core.generation.openInline() }
    return try StoreSnapshot(log.core, reach)
  }
}
