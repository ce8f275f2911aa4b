public import AnnalsCoding
public import AnnalsLog
internal import AnnalsMigration
public import AnnalsProjections
internal import AnnalsSchema
public import AnnalsStore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension EventStore {
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
  ///   activates, also `undeclaredFields`, `ruleFailed`, `tooLarge`, `malformed`, `busy`, `appendsSuspended`
  ///   and any
  ///   ``AnnalsError`` that `prepare` throws. If it folds inline projections, also `rejected` with the
  ///   position of the refused event, `ruleFailed`, `busy` and `appendsSuspended`.
  /// - Complexity: O(schema versions and record types), regardless of the length of the log.
  public init(
    at url: URL, plan: Plan.Type, options: StoreOptions = StoreOptions(),
    inline: [any InlineProjection<Event>.Type] = []
  ) throws(AnnalsError) {
    let opening = try PlanOpening<Plan>(at: url, options)
    let migration = try Self.moveStreams(opening.log, opening.plan, options)
    try opening.activate()
    var (store, hasNewer) = try opening.prove()
    let inline = try InlineSet(inline, store.reach.plan, log: store.log.id)
    store.attach(inline)
    var work = PassWork(store.reach.plan, store.contextBytes)
    work.inline = inline
    // A program below the store's version reads the store and rewrites nothing.
    let isDue = hasNewer ? false : try Self.isDue(store.log, work, migration)
    try store.log.core.place.settle()
    if let inline {
      var registration = InlineRegistration(store.log, inline, isActivating: options.activating)
      try registration.run()
    }
    if isDue, let pass = try Self.migrate(store.log, work, migration) { store.attachments.attach(pass) }
    self = store
  }
}
