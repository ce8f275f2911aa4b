package import AnnalsCoding
package import AnnalsLog
package import AnnalsMigration
package import AnnalsProjections
package import AnnalsSchema
package import AnnalsStore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Everything that leads a store to a version of its plan, also where the plan does not open it before: a
/// pass for each stage that moves entries to other streams and is due, then one for the rest.
package struct PlanMigration<Plan: SchemaMigrationPlan> {
  private let log: EventLog
  private let plan: CompiledPlan
  private let url: URL
  private let options: StoreOptions
  private let version: SchemaVersion
  private let inline: [any InlineProjection<Plan.Current.Event>.Type]
  /// The number of passes that were begun that moved entries.
  private var moved = 0
  private var isFinished = false
  /// The archives of the passes, once the first one was asked for.
  private var archives: ArchiveSeries?

  /// Opens the store at `url`.
  ///
  /// - Parameters:
  ///   - version: The version to lead to; the plan's current one where it is `nil`.
  ///   - options: As for an open of the store.
  ///   - inline: As for an open of the store.
  /// - Throws: ``AnnalsError``: what an open throws, and `wrongUse` for a version that the plan does not
  ///   have.
  package init(
    at url: URL, plan: Plan.Type, to version: SchemaVersion?, options: StoreOptions,
    inline: [any InlineProjection<Plan.Current.Event>.Type] = []
  ) throws(AnnalsError) {
    self.inline = inline
    let compiled = try CompiledPlan(plan, StageContexts(keys: options.keys))
    if let version, !compiled.schemas.contains(where: { $0.version == version }) {
      throw AnnalsError(
        .wrongUse, "the plan has no version \(version), so no pass can lead to it",
        details: AnnalsError.Details { $0.version = version })
    }
    log = try EventLog(unsettled: url, options: options)
    if compiled.hasPersonalFields || options.keys != nil { try log.attachKeys(for: "\(plan)") }
    try compiled.mustNotBeDowngraded(log)
    self.plan = compiled
    self.url = url
    self.options = options
    self.version = version ?? compiled.current.version
  }

  /// Begins the next pass; `nil` if none is left. The one before must be over.
  ///
  /// The first one is begun also where it finds nothing to do, and says so. A rehearsal ends with its first
  /// pass: what comes after it cannot be tried on a store that has not been changed.
  ///
  /// - Parameter options: How it is done. What it says of an unfinished pass is for the first one. The
  ///   archive of the second pass has `.2` at the end of its name, and so on.
  /// - Throws: ``AnnalsError``: what an open of the store throws.
  package mutating func next(_ options: MigrationOptions) throws(AnnalsError) -> MigrationRun? {
    if isFinished { return nil }
    var options = options
    if moved > 0 { options.unfinished = .resume }
    if archives == nil { archives = try ArchiveSeries(options.archive, log) }
    options.archive = try archives?.next()
    let passes = MovingPasses<Plan>(log, plan)
    if let work = try passes.next(upTo: version, activating: self.options.activating) {
      moved += 1
      isFinished = options.isRehearsal
      return try PassRunner.start(log, work, options)
    }
    isFinished = true
    // A stage after the version keeps the whole plan from reading the store, and is none of this pass's
    // business.
    if try passes.due(upTo: plan.current.version) != nil { return try end(options) }
    let store = try EventStore(at: url, plan: Plan.self, options: self.options, inline: inline)
    if version != Plan.Current.version { return try store.migrate(to: version, options) }
    // A pass that moved entries has renewed keys as well.
    if moved > 0, try !store.isBehind() { return nil }
    return try store.migrate(options)
  }

  /// The pass to the version, for a store that the whole plan does not read.
  private func end(_ options: MigrationOptions) throws(AnnalsError) -> MigrationRun? {
    for chain in try Plan.chains() where chain.version == version {
      let activation = Activation(
        log, try chain.cut(StageContexts(keys: log.options.keys), adopted: plan.adopted))
      let contexts = try activation.contexts()
      try activation.mustBeDone(contexts)
      return try PassRunner.start(log, chain.passWork(contexts, unversioned: plan.adopted), options)
    }
    return nil
  }
}

extension EventStore {
  /// Whether any entry is of an earlier version, or of another form, than the plan's current one.
  fileprivate func isBehind() throws(AnnalsError) -> Bool {
    let work = PassWork(reach.plan, contextBytes)
    return try log.read { (snapshot) throws(AnnalsError) in
      try work.isDue(snapshot.reader.census(), snapshot.kinds)
    }
  }

  /// Runs every pass that the plan needs before it reads the store at `url`, and none for what comes after
  /// them.
  ///
  /// - Parameter migration: How they are done.
  /// - Throws: ``AnnalsError`` as an open with `beforeOpen` and `activating` does.
  package static func moveStreams(at url: URL, _ migration: MigrationOptions) throws(AnnalsError) {
    let plan = try CompiledPlan(Plan.self)
    guard plan.stages.contains(where: \.movesStreams) else { return }
    var options = StoreOptions()
    options.activating = true
    options.migration = .beforeOpen(migration)
    try moveStreams(EventLog(unsettled: url, options: options), plan, options)
  }

  /// Runs every pass that the plan needs before it reads the store, where the options of an open say so.
  ///
  /// - Returns: How the pass for what comes after them is done: its archive is the next one.
  @discardableResult package static func moveStreams(
    _ log: EventLog, _ plan: CompiledPlan, _ options: StoreOptions
  ) throws(AnnalsError) -> MigrationMode {
    guard case .beforeOpen(var migration) = options.migration, options.access == .readWrite else {
      return options.migration
    }
    migration.discardsOthers = true
    var archives = try ArchiveSeries(migration.archive, log)
    let passes = MovingPasses<Plan>(log, plan)
    migration.archive = try archives.next()
    while let work = try passes.next(upTo: plan.current.version, activating: options.activating) {
      // What was only rehearsed would be due forever.
      guard try PassRunner.start(log, work, migration).join(options.watch).isDone else { break }
      migration.archive = try archives.next()
    }
    return .beforeOpen(migration)
  }
}
