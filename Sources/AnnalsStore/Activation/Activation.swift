package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema
internal import LMDB

/// The activation of a plan in a store: the contexts of its stages, and the version adopted for events
/// without one. Both are computed once from the whole log and kept in the store.
///
/// One transaction keeps all of it, or nothing.
package struct Activation {
  /// The maximum size in bytes of a context that is stored as one value.
  static let maximumContext = 64 << 20
  /// The maximum number of attempts. An attempt fails if others append older events meanwhile.
  private static let tries = 5

  private let log: EventLog
  private let plan: CompiledPlan
  /// Reports entries that cannot be read, which are then skipped; `nil` if such an entry ends the activation.
  private let quarantine: Quarantine?

  /// Creates the activation of `plan`, which has no contexts yet, in the store of `log`.
  package init(_ log: EventLog, _ plan: CompiledPlan, _ quarantine: Quarantine? = nil) {
    self.log = log
    self.plan = plan
    self.quarantine = quarantine
  }

  private func history(upTo last: UInt64) -> LogHistory {
    var history = LogHistory(log: log, last: last, adopted: plan.adopted, quarantine: quarantine)
    history.watch = log.options.watch
    return history
  }

  /// Whether the plan has anything that a store could lack.
  private var isNeeded: Bool { plan.adopted != nil || hasContexts }

  /// Throws for a plan with anything to compute from the whole log: in a cluster, machines would compute it
  /// at different places.
  func mustNotBeNeeded() throws(AnnalsError) {
    guard isNeeded else { return }
    throw AnnalsError(
      .wrongUse,
      "the plan computes contexts or folds from the whole log, or adopts events without a version, and a cluster cannot activate such a plan; nothing was changed"
    )
  }

  private var hasContexts: Bool { plan.stages.contains { $0.hasContext || $0.hasFold } }

  /// Returns the contexts that the store keeps for the plan's stages.
  package func contexts() throws(AnnalsError) -> StageContexts {
    guard hasContexts else { return StageContexts(keys: log.options.keys) }
    var contexts = try log.read { (snapshot) throws(AnnalsError) in
      try StageContexts(plan, snapshot.reader, in: log.core)
    }
    contexts.keys = log.options.keys
    return contexts
  }

  /// Throws `requiresActivation` if a stage needs a context for events of the store and `contexts` lacks it.
  package func mustBeDone(_ contexts: StageContexts) throws(AnnalsError) {
    guard hasContexts else { return }
    let census = try log.read { (snapshot) throws(AnnalsError) in try OlderEvents(snapshot, plan) }
    for index in plan.stages.indices {
      let (from, to) = (plan.schemas[index], plan.schemas[index + 1])
      if !contexts.suffice(for: plan.stages[index], to: to.version), census.count(below: to.version) > 0 {
        throw AnnalsError(
          .requiresActivation,
          "the stage from \(from.version) to \(to.version) works out something from the whole log before the \(census.count(below: to.version)) older events of this store can be read: run 'activate', or open the store once with 'activating'",
          details: AnnalsError.Details { $0.version = to.version })
      }
    }
  }

  /// Computes and keeps the missing contexts and folds.
  ///
  /// - Parameter mayKeep: Is called in the transaction that keeps them, and throws if they must not be kept.
  /// - Returns: Whether anything was kept.
  @discardableResult
  package func run(_ mayKeep: () throws(AnnalsError) -> Void = {}) throws(AnnalsError) -> Bool {
    guard isNeeded else { return false }
    for _ in 0..<Self.tries {
      let (before, isAdopted) = try log.read { (snapshot) throws(AnnalsError) in
        (try OlderEvents(snapshot, plan), snapshot.kinds.schemas[0]?.phase == .active)
      }
      let adopted = isAdopted || before.unversioned == 0 ? nil : plan.adopted
      let stored = try contexts()
      // Without older events there is nothing to compute, and they may still come.
      let due = plan.stages.indices.filter { index in
        let version = plan.schemas[index + 1].version
        return !stored.suffice(for: plan.stages[index], to: version)
          && before.count(below: version, passing: index) > 0
      }
      guard adopted != nil || !due.isEmpty else { return false }
      guard log.options.access == .readWrite else {
        throw AnnalsError(
          .readOnly, "the store was opened for reading only; open it with access .readWrite to activate")
      }
      if let adopted { try AdoptionCheck(log, plan, adopted, last: before.last).run() }
      // Everything is computed before anything is stored.
      var contexts = stored
      var prepared: [(version: SchemaVersion, context: PreparedContext)] = []
      var ends: [(version: SchemaVersion, groups: GroupRows)] = []
      for index in due {
        let version = plan.schemas[index + 1].version
        if plan.stages[index].hasContext, contexts.contexts[version] == nil {
          let context = try prepare(index, contexts, last: before.last)
          contexts.contexts[version] = context.unstored
          prepared.append((version, context))
        }
        if plan.stages[index].hasFold, contexts.groupEnds[version] == nil {
          let groups = try groupEnds(index, contexts, last: before.last)
          contexts.groupEnds[version] = ContextTable(groups.rows)
          ends.append((version, groups))
        }
      }
      var writing = ContextWriting(log)
      try writing.removeUnused()
      for (version, context) in prepared { try writing.add(context, version) }
      for (version, groups) in ends { try writing.add(groups, version) }
      if try keep(writing, due, adopted, before, mayKeep) { return true }
    }
    throw AnnalsError(
      .busy,
      "other processes kept appending older events, activating, or rewriting the store while it was being activated; stop them, or try again"
    )
  }

  /// Computes the context of the stage numbered `index` from the log up to `last`.
  private func prepare(
    _ index: Int, _ contexts: StageContexts, last: UInt64
  ) throws(AnnalsError) -> PreparedContext {
    let prepared = try workOut(index, "prepare") {
      try plan.works[index].prepare?(history(upTo: last), contexts)
    }
    let (from, to) = (plan.schemas[index], plan.schemas[index + 1])
    if case .value(let bytes) = prepared, bytes.count > Self.maximumContext {
      throw AnnalsError(
        .tooLarge,
        "the context of the stage from \(from.version) to \(to.version) has \(bytes.count) bytes, and \(Self.maximumContext) are allowed: keep only what rules look up, or make it a KeyedContext",
        details: AnnalsError.Details { $0.version = to.version })
    }
    return prepared ?? .value([])
  }

  /// Computes where groups of the stage numbered `index` end in the log up to `last`.
  private func groupEnds(
    _ index: Int, _ contexts: StageContexts, last: UInt64
  ) throws(AnnalsError) -> GroupRows {
    try workOut(index, "Fold") {
      try plan.works[index].groupEnds?(history(upTo: last), contexts)
    } ?? GroupRows()
  }

  private func workOut<Result>(
    _ index: Int, _ word: String, _ body: () throws -> Result
  ) throws(AnnalsError) -> Result {
    let (from, to) = (plan.schemas[index], plan.schemas[index + 1])
    do {
      try log.options.watch?.check()
      let result = try body()
      // A stage's own code may have caught the error that ends its read.
      try log.options.watch?.check()
      return result
    } catch let error as AnnalsError {
      guard error.isOfOneEntry else { throw error }
      throw AnnalsError(
        error.code,
        "the '\(word)' of the stage from \(from.version) to \(to.version) reads an entry that cannot be read, and nothing was changed; mend what reads it, or pass over such entries: run 'activate --quarantine', or open the store once with 'activating' and 'unreadable' set to quarantine\(word == "prepare" ? "; where 'prepare' needs other records alone, let it read 'history.selecting(…)'" : ""): \(error.message)",
        details: error.details, underlying: error.underlying)
    } catch {
      throw AnnalsError(
        .ruleFailed,
        "the '\(word)' of the stage from \(from.version) to \(to.version) threw \(error.words); nothing was changed",
        details: AnnalsError.Details { $0.version = to.version }, underlying: error)
    }
  }

  /// Keeps the computed values.
  ///
  /// - Returns: Whether they were still valid; if not, nothing is changed.
  private func keep(
    _ contexts: ContextWriting, _ stages: [Int], _ adopted: SchemaVersion?,
    _ before: OlderEvents, _ mayKeep: () throws(AnnalsError) -> Void
  ) throws(AnnalsError) -> Bool {
    try ActivationWrite(log).run { (transaction, tables, kinds) throws(AnnalsError) in
      try mayKeep()
      let now = try OlderEvents(StoreReader(transaction.view, tables), kinds, plan)
      if adopted != nil {
        guard kinds.schemas[0]?.phase != .active, now.unversioned == before.unversioned else { return false }
      }
      for stage in stages {
        let version = plan.schemas[stage + 1].version
        guard now.counts(below: version, passing: stage) == before.counts(below: version, passing: stage)
        else { return false }
      }
      guard try contexts.isStillDue(StoreReader(transaction.view, tables)) else { return false }
      var kinds = kinds
      if let adopted {
        var row: [UInt8] = []
        row.append(adopted)
        try transaction.put(row, StoreReader.adoptedName, in: tables.meta)
        try ActivationWrite.activate(nil, .released, &kinds, tables, &transaction)
      }
      for (name, value) in contexts.rows { try transaction.put(value, name, in: tables.meta) }
      if contexts.hasUnread { try transaction.require(.unreadGroups, tables) }
      for schema in stages.map({ plan.schemas[$0 + 1] }) {
        try ActivationWrite.activate(schema.version, schema.stability, &kinds, tables, &transaction)
      }
      return true
    }
  }
}

extension AnnalsError {
  /// Whether the failure comes from a single entry, so that skipping the entry helps.
  fileprivate var isOfOneEntry: Bool {
    (code == .malformed || code == .ruleFailed) && details.type != nil && details.position != nil
  }
}

extension StageContexts {
  /// Reads the contexts that a store keeps for the stages of `plan`.
  init(_ plan: CompiledPlan, _ reader: StoreReader, in core: LogCore) throws(AnnalsError) {
    self.init()
    for (stage, schema) in zip(plan.stages, plan.schemas.dropFirst()) {
      if stage.hasContext {
        if let row = try reader.table(.keyed, of: schema.version) {
          contexts[schema.version] = .table(row.table(in: core))
        } else {
          contexts[schema.version] = try reader.context(of: schema.version).map { .value($0) }
        }
      }
      if stage.hasFold, let row = try reader.table(.groups, of: schema.version) {
        groupEnds[schema.version] = row.table(in: core)
      }
    }
  }
}
