internal import LMDB

/// What a plan must know of the whole log before it reads a store, worked out once and kept in it: the contexts of its stages, and that events without a version
/// are of the one that the plan says.
///
/// All of it is kept by one transaction, or nothing is.
struct Activation {
  /// The most bytes of a context.
  static let maximumContext = 1 << 20
  /// How often it is worked out again because others appended older events meanwhile.
  private static let tries = 5

  private let log: EventLog
  private let plan: CompiledPlan

  /// The activation of `plan`, made without contexts, in the store of `log`.
  init(_ log: EventLog, _ plan: CompiledPlan) {
    self.log = log
    self.plan = plan
  }

  /// Whether the plan has anything that a store could lack.
  private var isNeeded: Bool { plan.adopted != nil || plan.stages.contains(where: \.hasContext) }

  /// The contexts that the store keeps for the plan's stages.
  func contexts() throws(AnnalsError) -> ContextBytes {
    guard plan.stages.contains(where: \.hasContext) else { return ContextBytes() }
    return try log.read { (snapshot) throws(AnnalsError) in
      var contexts = ContextBytes()
      for (stage, schema) in zip(plan.stages, plan.schemas.dropFirst()) where stage.hasContext {
        contexts.byVersion[schema.version] = try snapshot.reader.context(of: schema.version)
      }
      return contexts
    }
  }

  /// Throws `requiresActivation` where a stage needs its context for events that the store has, and `contexts` lack it.
  func mustBeDone(_ contexts: ContextBytes) throws(AnnalsError) {
    guard plan.stages.contains(where: \.hasContext) else { return }
    let census = try log.read { (snapshot) throws(AnnalsError) in try OlderEvents(snapshot, plan.adopted) }
    for index in plan.stages.indices where plan.stages[index].hasContext {
      let (from, to) = (plan.schemas[index], plan.schemas[index + 1])
      if contexts.byVersion[to.version] == nil, census.count(below: to.version) > 0 {
        throw AnnalsError(
          .requiresActivation,
          "the stage from \(from.version) to \(to.version) works out something from the whole log before the \(census.count(below: to.version)) older events of this store can be read: open the store once with activating",
          details: AnnalsError.Details { $0.version = to.version })
      }
    }
  }

  /// Works out and keeps what is missing.
  func run() throws(AnnalsError) {
    guard isNeeded else { return }
    for _ in 0..<Self.tries {
      let (before, isAdopted) = try log.read { (snapshot) throws(AnnalsError) in
        (try OlderEvents(snapshot, plan.adopted), snapshot.kinds.schemas[0]?.phase == .active)
      }
      let adopted = isAdopted || before.unversioned == 0 ? nil : plan.adopted
      let stored = try contexts()
      // Without older events there is nothing to know, and they may still come.
      let due = plan.stages.indices.filter { index in
        let version = plan.schemas[index + 1].version
        return plan.stages[index].hasContext && stored.byVersion[version] == nil
          && before.count(below: version) > 0
      }
      guard adopted != nil || !due.isEmpty else { return }
      guard log.options.access == .readWrite else {
        throw AnnalsError(
          .readOnly, "the store was opened for reading only; open it with access .readWrite to activate")
      }
      if let adopted { try AdoptionCheck(log, plan, adopted, last: before.last).run() }
      var contexts = stored
      for index in due {
        contexts.byVersion[plan.schemas[index + 1].version] = try prepare(index, contexts, last: before.last)
      }
      if try keep(contexts, of: due.map { plan.schemas[$0 + 1] }, adopted, before) { return }
    }
    throw AnnalsError(
      .busy,
      "other processes kept appending older events while the store was being activated; stop them, or try again"
    )
  }

  /// Works out the context of the stage numbered `index` from the log up to `last`.
  private func prepare(_ index: Int, _ contexts: ContextBytes, last: UInt64) throws(AnnalsError) -> [UInt8] {
    let (from, to) = (plan.schemas[index], plan.schemas[index + 1])
    let bytes: [UInt8]
    do {
      bytes =
        try plan.works[index].prepare?(LogHistory(log: log, last: last, adopted: plan.adopted), contexts)
        ?? []
    } catch let error as AnnalsError {
      throw error
    } catch {
      throw AnnalsError(
        .ruleFailed,
        "the 'prepare' of the stage from \(from.version) to \(to.version) threw \(type(of: error)); nothing was changed",
        details: AnnalsError.Details { $0.version = to.version }, underlying: error)
    }
    guard bytes.count <= Self.maximumContext else {
      throw AnnalsError(
        .tooLarge,
        "the context of the stage from \(from.version) to \(to.version) has \(bytes.count) bytes, and \(Self.maximumContext) are allowed: keep only what rules look up",
        details: AnnalsError.Details { $0.version = to.version })
    }
    return bytes
  }

  /// Keeps everything that was worked out.
  ///
  /// - Returns: Whether it was still true; if not, nothing is changed.
  private func keep(
    _ contexts: ContextBytes, of schemas: [SchemaOutline], _ adopted: SchemaVersion?, _ before: OlderEvents
  ) throws(AnnalsError) -> Bool {
    try ActivationWrite(log).run { (transaction, tables, kinds) throws(AnnalsError) in
      let now = try OlderEvents(StoreReader(transaction.view, tables), kinds, plan.adopted)
      if adopted != nil {
        guard kinds.schemas[0]?.phase != .active, now.unversioned == before.unversioned else { return false }
      }
      for schema in schemas {
        guard try StoreReader(transaction.view, tables).context(of: schema.version) == nil,
          now.counts(below: schema.version) == before.counts(below: schema.version)
        else { return false }
      }
      var kinds = kinds
      if let adopted {
        var row: [UInt8] = []
        row.append(adopted)
        try transaction.put(row, StoreReader.adoptedName, in: tables.meta)
        try ActivationWrite.activate(nil, .released, &kinds, tables, &transaction)
      }
      for schema in schemas {
        try transaction.put(
          contexts.byVersion[schema.version] ?? [], StoreReader.contextName(schema.version), in: tables.meta)
        try ActivationWrite.activate(schema.version, schema.stability, &kinds, tables, &transaction)
      }
      return true
    }
  }
}
