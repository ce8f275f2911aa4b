public import AnnalsCoding
public import AnnalsLog
internal import AnnalsMaintenance
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
  /// The open first checks the plan, and then that every stored event has a path to the plan's current
  /// version. A failed open changes no byte of the data.
  ///
  /// A store with events of versions above the plan's opens if the plans that wrote them let the plan's
  /// current version read all of them. In that case nothing can be appended, unless those versions are
  /// bridges that are not active yet (docs/recipes/rolling-deployment.md).
  ///
  /// - Parameters:
  ///   - url: The store's directory, by convention `something.annals`, on a local file system.
  ///   - plan: The schema versions and the stages between them.
  ///   - options: The access, and the behaviour if there is no store.
  ///   - inline: The projections to fold in the transaction of each append, which they may refuse. A new or
  ///     raised projection comes into force if the open activates the plan's version, or if the log is empty.
  ///     It is then folded from the whole log before this returns, between appends of others. Until then the
  ///     store behaves as if it were absent.
  /// - Throws: ``AnnalsError`` with code `invalidPlan` (lists every problem), `noPath`, `newerSchema`,
  ///   `shapeChanged`, `requiresActivation`, `requiresPass` or `storeTooOld` (`details.kinds` lists every
  ///   type, version, count, first position and missing step), or as ``EventLog/init(at:options:)``. If it
  ///   activates, also `undeclaredFields`, `ruleFailed`, `tooLarge`, `malformed`, `busy`, `appendsSuspended`
  ///   and any ``AnnalsError`` that `prepare` throws. If it folds inline projections, also `rejected` with
  ///   the position of the refused event, `ruleFailed`, `busy` and `appendsSuspended`.
  /// - Complexity: O(schema versions and record types), regardless of the length of the log.
  public init(
    at url: URL, plan: Plan.Type, options: StoreOptions = StoreOptions(),
    inline: [any InlineProjection<Event>.Type] = []
  ) throws(AnnalsError) {
    try self.init(at: url, plan: plan, options: options, inline: inline, retiring: [])
  }

  /// Opens the store, also with projections that an activation in a cluster retires.
  package init(
    at url: URL, plan: Plan.Type, options: StoreOptions, inline: [any InlineProjection<Event>.Type],
    retiring: [any InlineProjection<Event>.Type]
  ) throws(AnnalsError) {
    let opening = try PlanOpening<Plan>(at: url, options)
    let migration = try Self.moveStreams(opening.log, opening.plan, options)
    let isActivated = try opening.activate()
    var (store, hasNewer) = try opening.prove()
    let inline = try InlineSet(inline, retiring: retiring, store.reach.plan, log: store.log.id)
    store.attach(inline)
    var work = PassWork(store.reach.plan, store.contextBytes)
    work.inline = inline
    // A program below the store's version reads the store and rewrites nothing.
    let isDue = hasNewer ? false : try Self.isDue(store.log, work, migration)
    try store.log.core.place.settle()
    // Programs that append alongside this one may lack its projections.
    for rule in store.rules { try rule.begin(store.log, isActivating: isActivated && !hasNewer) {} }
    try store.finishRemovals()
    if isDue, let pass = try Self.migrate(store.log, work, migration) { store.attachments.attach(pass) }
    self = store
  }
}
