public import AnnalsCoding
public import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
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
  let reach: PlanResolver
  /// The contexts of the plan's stages.
  let contextBytes: StageContexts
  /// The migration pass that runs in the background of this store.
  let background: BackgroundMigration?
  /// The views of the store.
  let viewing = ViewHolder()
  /// The guard that the first append applies; `nil` if there is nothing to guard.
  let beginning: StreamMoveGuard?
  /// The newest version above the plan's, other than a bridge, that had events in the store when it was
  /// opened. With such a version nothing can be appended.
  let newer: SchemaVersion?
  /// The roll-out phase that the plan's current version had before this open activated it; `nil` if this open
  /// did not activate it.
  let activatedFrom: RolloutPhase?
  /// The rules that its appends go through, for events in their newest form.
  let rules: [any AppendRule]

  /// Opens the store at `url`, or creates it there.
  ///
  /// The open checks the plan first, then that every stored event has a path to the plan's current version. A
  /// failed open changes no byte of the data.
  ///
  /// A store with events of versions above the plan's opens if the plans that wrote them let the plan's
  /// current version read all of them. Nothing can be appended then, unless those versions are bridges that
  /// are not active yet (docs/recipes/rolling-deployment.md).
  ///
  /// - Parameters:
  ///   - url: The store's directory, `something.annals` by custom, on a local file system.
  ///   - plan: The schema versions and the stages between them.
  ///   - options: The access, and the behaviour if there is no store.
  ///   - inline: The projections to fold in the transaction of each append, which they may refuse. A
  ///     projection new to the store is folded from the whole log before this returns, between appends of
  ///     others. A raised version of an existing projection is folded only with `activating`.
  /// - Throws: ``AnnalsError`` with code `invalidPlan` (lists every problem), `noPath`, `newerSchema`,
  ///   `shapeChanged`, `requiresActivation`, `requiresPass` or `storeTooOld` (`details.kinds` lists every
  ///   type, version, count, first position and missing step), or as ``EventLog/init(at:options:)``. If it
  ///   activates, also `undeclaredFields`, `ruleFailed`, `tooLarge`, `malformed`, `busy`, `appendsSuspended` and any
  ///   ``AnnalsError`` that `prepare` throws. If it folds inline projections, also `rejected` with the
  ///   position of the refused event, `ruleFailed`, `busy` and `appendsSuspended`.
  /// - Complexity: O(schema versions and record types), whatever the length of the log.
  public init(
    at url: URL, plan: Plan.Type, options: StoreOptions = StoreOptions(),
    inline: [any InlineProjection<Event>.Type] = []
  ) throws(AnnalsError) {
    let unprepared = try CompiledPlan(plan)
    log = try EventLog(unsettled: url, options: options)
    // The lease comes before any look at the store: a program that appends after that look knows of this
    // program.
    let lease = try ProgramLease.take(unprepared.current.version, options, in: log.core.generation.directory)
    try Self.verifyNotDowngraded(unprepared, log)
    let migration = try Self.moveStreams(log, unprepared, options)
    let quarantine = Quarantine(options.unreadable)
    let activation = Activation(log, unprepared, quarantine)
    let before = try log.read { (snapshot) in snapshot.kinds.row(of: unprepared.current.version)?.phase }
    if options.activating {
      // Nothing is changed for a plan that could not read the store afterwards.
      let presumed = PlanResolver(unprepared, skipping: SkippedEvents(options.newerTypes), isAdopting: true)
      _ = try log.read { (snapshot) throws(AnnalsError) in
        try presumed.prove(snapshot.reader.census(), snapshot.kinds)
      }
      try activation.run()
      let rollout = Rollout(log: log, plan: presumed.rollout)
      if rollout.plan.stability == .bridge, options.access == .readWrite { try rollout.activateIfFree() }
    }
    let contexts = try activation.contexts()
    let reach = PlanResolver(
      contexts.isEmpty ? unprepared : try CompiledPlan(plan, contexts),
      quarantine, skipping: SkippedEvents(options.newerTypes), lease: lease)
    let after = try log.read { (snapshot) in snapshot.kinds.row(of: unprepared.current.version)?.phase }
    activatedFrom = options.activating && before != after && after == .active ? RolloutPhase(before) : nil
    let (newer, bridges) = try log.read { (snapshot) throws(AnnalsError) in
      try reach.mustNotBeContracted(snapshot.kinds)
      let newer = try reach.prove(snapshot.reader.census(), snapshot.kinds)
      return (newer, newer.filter { snapshot.kinds.row(of: $0)?.stability == .bridge })
    }
    // The phase of a bridge decides what may be appended alongside it.
    self.newer = newer.subtracting(bridges).max()
    try activation.mustBeDone(contexts)
    let set = try InlineSet(inline, reach.plan, log: log.id)
    beginning = Self.beginning(log, reach.plan)
    rules = Self.rules(reach, beginning, set)
    self.reach = reach
    contextBytes = contexts
    var work = PassWork(reach.plan, contexts)
    work.inline = set
    // A program below the store's version reads the store and rewrites nothing.
    let isDue = newer.isEmpty ? try Self.isDue(log, work, migration) : false
    try log.core.place.settle()
    if let set {
      var registration = InlineRegistration(log, set, isActivating: options.activating)
      try registration.run()
    }
    background = isDue ? try Self.migrate(log, work, migration) : nil
  }

  /// The number of times that readers of this store have skipped an unreadable entry. It is always 0 without
  /// ``StoreOptions/Unreadable/quarantine(_:)``.
  public var quarantined: UInt64 { reach.quarantine?.count ?? 0 }

  /// The number of times that readers of this store have skipped an event of a type that only newer versions
  /// have. It is always 0 without ``StoreOptions/NewerTypes/skip``.
  public var skipped: UInt64 { reach.skipping?.count ?? 0 }

  /// Describes the store at `url`, without a plan and without changing anything.
  ///
  /// - Throws: As ``EventLog/inspect(_:)``.
  public static func inspect(_ url: URL) throws(AnnalsError) -> LogInfo {
    try EventLog.inspect(url)
  }

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
