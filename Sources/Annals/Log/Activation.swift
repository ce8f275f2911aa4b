internal import LMDB

/// What a plan must know of the whole log before it reads a store, worked out once and kept in it: the contexts of its stages, and that events without a version
/// are of the one that the plan says.
struct Activation {
  /// The most bytes of a context.
  static let maximumContext = 1 << 20
  /// How often a context is worked out again because others appended older events meanwhile.
  private static let tries = 5

  private let log: EventLog
  private let plan: CompiledPlan

  /// The activation of `plan`, made without contexts, in the store of `log`.
  init(_ log: EventLog, _ plan: CompiledPlan) {
    self.log = log
    self.plan = plan
  }

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

  /// Throws `requiresActivation` where a stage needs its context for events that the store has, and it is not there.
  func mustBeDone() throws(AnnalsError) {
    let contexts = try contexts()
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
    try adopt()
    for index in plan.stages.indices where plan.stages[index].hasContext { try prepare(index) }
  }

  private func prepare(_ index: Int) throws(AnnalsError) {
    let (from, to) = (plan.schemas[index], plan.schemas[index + 1])
    guard let work = plan.works[index].prepare else { return }
    for _ in 0..<Self.tries {
      let contexts = try contexts()
      if contexts.byVersion[to.version] != nil { return }
      let before = try log.read { (snapshot) throws(AnnalsError) in try OlderEvents(snapshot, plan.adopted) }
      // Without older events there is nothing to know, and they may still come.
      if before.count(below: to.version) == 0 { return }
      let bytes: [UInt8]
      do {
        bytes = try work(LogHistory(log: log, last: before.last, adopted: plan.adopted), contexts)
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
      let isKept = try write { (transaction, kinds) throws(AnnalsError) in
        let tables = log.core.tables
        guard try StoreReader(transaction.view, tables).context(of: to.version) == nil else { return false }
        let now = try OlderEvents(StoreReader(transaction.view, tables), kinds, plan.adopted)
        guard now.counts(below: to.version) == before.counts(below: to.version) else { return false }
        try transaction.put(bytes, StoreReader.contextName(to.version), in: tables.meta)
        try activate(to.version, to.stability, kinds, &transaction)
        return true
      }
      if isKept { return }
    }
    throw AnnalsError(
      .busy,
      "other processes kept appending events below version \(to.version) while the stage that leads there was being activated; stop them, or try again"
    )
  }

  /// Makes sure that events without a version are of the one that the plan says, and notes it.
  private func adopt() throws(AnnalsError) {
    guard let version = plan.adopted else { return }
    let (before, isDone) = try log.read { (snapshot) throws(AnnalsError) in
      (try OlderEvents(snapshot, nil), snapshot.kinds.schemas[0]?.phase == .active)
    }
    guard !isDone, before.unversioned > 0 else { return }
    try AdoptionCheck(log, plan, version, last: before.last).run()
    _ = try write { (transaction, kinds) throws(AnnalsError) in
      guard kinds.schemas[0]?.phase != .active else { return false }
      try activate(nil, .released, kinds, &transaction)
      return true
    }
  }

  /// Notes that a version is active from here on.
  private func activate(
    _ version: SchemaVersion?, _ stability: SchemaStability, _ kinds: KindRegistry,
    _ transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let ordinal: UInt16
    do throws(KindRegistry.Refusal) { ordinal = try kinds.ordinal(of: version) } catch {
      throw AnnalsError(.tooLarge, "the store has used up its numbers for schema versions")
    }
    // A draft that is activated before anything of it is stored is a draft still.
    var row =
      kinds.schemas[ordinal]
      ?? SchemaRow(version: version, stability: stability == .draft ? .draft : .released)
    row.phase = .active
    try transaction.put(row.encoded(), UInt64(ordinal), in: log.core.tables.schemas)
    var meta = log.core.meta
    meta.schemaEpoch = kinds.epoch + 1
    try transaction.put(
      meta.value(of: .schemaEpoch), StoreMeta.Name.schemaEpoch.rawValue, in: log.core.tables.meta)
  }

  /// One durable transaction of its own, if `body` says that it changed something.
  private func write(
    _ body: (inout WriteTransaction, KindRegistry) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) -> Bool {
    let core = log.core
    guard log.options.access == .readWrite else {
      throw AnnalsError(
        .readOnly, "the store was opened for reading only; open it with access .readWrite to activate")
    }
    var transaction = try storage { () throws(EnvironmentError) in try core.environment.beginWrite() }
    do throws(AnnalsError) {
      var meta = core.meta
      let changed: Bool
      for name in [StoreMeta.Name.state, .requires] {
        try StoreReader(transaction.view, core.tables).read(name, into: &meta)
      }
      try StoreMeta.check(meta.requires, forWriting: true)
      guard meta.state == .live else {
        throw AnnalsError(.held, "the store takes no changes now: a migration pass has built on it")
      }
      let kinds = try StoreReader(transaction.view, core.tables).kinds()
      changed = try body(&transaction, kinds)
      guard changed else {
        transaction.abort()
        return false
      }
    } catch {
      transaction.abort()
      throw error
    }
    do { try transaction.commit() } catch { throw AnnalsError(error) }
    return true
  }
}

/// How many delivered events a store has by version, and where its log ends.
private struct OlderEvents {
  private var counts: [SchemaVersion: UInt64] = [:]
  /// How many have no version.
  private(set) var unversioned: UInt64 = 0
  /// The position of the newest entry; 0 in an empty log.
  let last: UInt64

  /// What a snapshot has; events without a version count as ones of `adopted`.
  init(_ snapshot: borrowing LogSnapshot, _ adopted: SchemaVersion?) throws(AnnalsError) {
    try self.init(snapshot.reader, snapshot.kinds, adopted)
  }

  init(_ reader: StoreReader, _ kinds: KindRegistry, _ adopted: SchemaVersion?) throws(AnnalsError) {
    last = try reader.last()
    for (number, row) in try reader.census() {
      guard let kind = kinds.kinds[number] else { continue }
      if kind.version == nil { unversioned += row.parts }
      if let version = kind.version ?? adopted { counts[version, default: 0] += row.parts }
    }
  }

  /// How many there are of each version below `version`.
  func counts(below version: SchemaVersion) -> [SchemaVersion: UInt64] {
    counts.filter { $0.key < version && $0.value > 0 }
  }

  /// How many there are of versions below `version`.
  func count(below version: SchemaVersion) -> UInt64 {
    counts(below: version).values.reduce(0, +)
  }
}

extension StoreReader {
  /// The name of the row of `meta` that keeps the context of the stage to `version`.
  static func contextName(_ version: SchemaVersion) -> String { "context \(version)" }

  /// The context of the stage to `version`, as bytes; `nil` where it has not been worked out.
  func context(of version: SchemaVersion) throws(AnnalsError) -> [UInt8]? {
    try row(Self.contextName(version), in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
  }
}
