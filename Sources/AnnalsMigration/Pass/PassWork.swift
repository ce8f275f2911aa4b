internal import AnnalsCoding
package import AnnalsFormat
internal import AnnalsLog
package import AnnalsProjections
package import AnnalsSchema
internal import AnnalsShapes
package import AnnalsStore
internal import LMDB

/// The work of a pass on entries, according to a plan or without one.
package struct PassWork: Sendable {
  /// The plan's mark.
  private let planMark: [UInt8]
  /// The version of the entries afterwards; `nil` if they stay in their own.
  let version: SchemaVersion?
  /// The plan, and where kinds enter it; `nil` if entries stay unchanged.
  package let reach: PlanResolver?
  /// The replacements for unreadable entries in a repair; `nil` in every other pass.
  let patch: EntryPatch?
  /// The new streams of entries; `nil` in a pass that moves none.
  let move: StreamMove?
  private let contexts: StageContexts
  /// The inline projections that are folded again; `nil` if the opener of the store has none.
  package var inline: InlineSet?
  /// The undeclared fields that may be lost.
  var drops = FieldDrops.none
  /// The rules that compute tags again; `nil` for none.
  private(set) var retagging: PassRetagging?
  /// Whether values of personal fields get the newest keys.
  var renewsKeys = false

  /// Copies every entry unchanged.
  static let copy = PassWork(mark: PlanMark.none, version: nil, reach: nil, contexts: StageContexts())

  /// Copies every sound entry unchanged, and stubs in place of the others.
  static func repair(_ patch: EntryPatch) -> PassWork {
    PassWork(mark: PlanMark.repair, version: nil, reach: nil, contexts: StageContexts(), patch: patch)
  }

  /// Takes every entry to the current version of a plan, which was made with these contexts.
  package init(_ plan: CompiledPlan, _ contexts: StageContexts) {
    self.init(
      mark: PlanMark.of(plan), version: plan.current.version, reach: PlanResolver(plan), contexts: contexts)
  }

  /// Takes every entry to the current version of a plan whose last stage moves entries to other streams.
  package init(moving plan: CompiledPlan, _ contexts: StageContexts, _ move: StreamMove) {
    var plan = plan
    plan.passesStreams = true
    self.init(
      mark: PlanMark.of(plan), version: plan.current.version, reach: PlanResolver(plan), contexts: contexts,
      move: move)
  }

  private init(
    mark: [UInt8], version: SchemaVersion?, reach: PlanResolver?, contexts: StageContexts,
    patch: EntryPatch? = nil, move: StreamMove? = nil
  ) {
    self.move = move
    planMark = mark
    self.version = version
    self.reach = reach
    self.contexts = contexts
    self.patch = patch
  }

  /// The mark of the pass: with another treatment of keys it is another pass.
  var mark: [UInt8] { mark(renewingKeys: renewsKeys) }

  /// Returns the mark of the same pass that renews keys, or does not.
  func mark(renewingKeys: Bool) -> [UInt8] { renewingKeys ? PlanMark.renewingKeys(planMark) : planMark }

  /// Compiles the rules that compute tags again, which only a pass needs.
  mutating func prepare() throws(AnnalsError) {
    retagging = try reach.flatMap { (reach) throws(AnnalsError) in try PassRetagging(reach.plan, contexts) }
  }

  /// Makes sure that entries may be stored in the pass's form: a bridge that older programs need in another
  /// form is activated first.
  ///
  /// - Returns: Whether a phase of the version began.
  /// - Throws: ``AnnalsError`` with code `busy` if such programs have the store open.
  func begin(_ log: EventLog) throws(AnnalsError) -> Bool {
    guard let reach, log.options.access == .readWrite else { return false }
    return try Rollout(log: log, plan: reach.rollout).beginPass()
  }

  /// Throws `needsPlan` if a pass with a plan does not know a projection in force, and `requiresActivation`
  /// if it knows a later version of it.
  ///
  /// A repair, and a pass before which the plan cannot read the store, leave the rows to the next open. A
  /// pass that copies entries unchanged copies the rows as well.
  func mustKnow(_ rows: [RuleRow]) throws(AnnalsError) {
    guard reach != nil, move == nil,
      let row = rows.first(where: { $0.isInForce && inline?.knows($0) != true })
    else { return }
    if let refusal = inline?.mustReplace(row) { throw refusal }
    throw AnnalsError(
      .needsPlan,
      "a migration pass folds the inline projection '\(row.name)' again, and version \(row.version) of it is not known here: begin the pass by a store that is opened with its plan and the projection"
    )
  }

  /// Whether the log is copied even if no entry changes.
  var isForced: Bool { reach == nil }

  /// Rows of `meta` that the new generation gets.
  var facts: [(name: String, value: [UInt8])] {
    guard let oldest = reach?.plan.schemas.first?.version else { return [] }
    var row: [UInt8] = []
    row.append(oldest)
    return [(StoreReader.oldestName, row)]
  }

  /// Returns the rewriting of entries of `source` for a generation with `kinds`.
  ///
  /// - Parameters:
  ///   - failing: The groups that cannot be folded, if they are known already.
  ///   - isArchiving: Whether lost values are archived.
  func rewriting(
    _ source: RewriteSource, _ kinds: GenerationKinds, isSettingAside: Bool, _ failing: FailingGroups? = nil,
    isArchiving: Bool = false
  ) -> Rewriting {
    guard let reach, let failing = failing ?? failingGroups(of: source) else {
      return .copying(source, kinds)
    }
    let losing = LossRules(drops: drops, isArchiving: isArchiving)
    let keys = renewsKeys ? reach.plan.keys : nil
    if let move {
      return .moving(
        source, kinds, reach.plan, move, failing, isQuarantining: isSettingAside, losing: losing,
        renewing: keys, retagging: retagging)
    }
    return .upcasting(
      source, kinds, reach.plan, failing, isQuarantining: isSettingAside, losing: losing, renewing: keys,
      retagging: retagging)
  }

  /// What finds the groups of a generation that cannot be folded; `nil` if entries are copied as they are.
  func failingGroups(of source: RewriteSource) -> FailingGroups? {
    reach.map { FailingGroups(source, PlanResolver($0.plan)) }
  }

  /// Throws unless all entries of a generation can be rewritten, and none is of a later version than the pass
  /// leads to.
  func mustReach(_ census: [UInt32: CensusRow], _ kinds: KindRegistry) throws(AnnalsError) {
    guard let reach, let newer = try reach.prove(census, kinds).max() else { return }
    throw AnnalsError(
      .newerSchema,
      "the store has events of version \(newer), and this pass leads to \(reach.plan.current.version): run it with the newest program that writes to the store",
      details: AnnalsError.Details { $0.version = newer })
  }

  /// Throws `undeclaredFields` if the pass would lose fields that may not be lost.
  ///
  /// - Complexity: O(log) if payloads stored by name would be rewritten; otherwise nothing is read.
  func mustLoseNothing(_ log: EventLog, _ control: PassControl) throws(AnnalsError) {
    guard let plan = reach?.plan else { return }
    let found = try UndeclaredScan(log: log, plan: plan, drops: drops).run { () throws(AnnalsError) in
      guard control.wish == .stop || control.wish == .cancel else { return }
      throw AnnalsError(.cancelled, "the migration pass was ended before it began; nothing was changed")
    }
    let unnamed = found.undeclared.filter { !drops.contains($0) }
    guard unnamed.isEmpty else { throw AnnalsError(undeclared: unnamed, "a migration pass") }
  }

  /// Whether any entry is of an earlier version, or of another form, than the pass leads to, and not retained
  /// as it is stored.
  ///
  /// - Parameter withQuarantine: Whether quarantined entries of an earlier pass count: the rule may have been
  ///   repaired before this pass was requested.
  package func isDue(
    _ census: [UInt32: CensusRow], _ kinds: KindRegistry, withQuarantine: Bool = false
  ) -> Bool {
    guard let reach else { return false }
    // The kinds do not show which keys their values have.
    if renewsKeys, census.contains(where: { $1.parts > 0 && kinds.kinds[$0]?.shape?.personal != nil }) {
      return true
    }
    return census.contains { number, row in
      guard row.parts > 0 || (withQuarantine && row.quarantined > 0), let kind = kinds.kinds[number] else {
        return false
      }
      if let version = kind.version, version > reach.plan.current.version { return false }
      // A quarantined entry is not retained until a pass has restored it.
      let isSetAside = withQuarantine && row.quarantined > 0
      if !isSetAside, reach.plan.retaining(kind, in: kinds) != nil { return false }
      let record = kinds.recordKind(kind)
      return !reach.plan.written.contains {
        $0.type == record.type && $0.version == record.version && $0.shape == record.shape
      }
    }
  }

  /// Runs the `verify` of the plan's stages that have anything to do, which compares the log up to `last`
  /// with its upcast form.
  ///
  /// Both sides are read from the old generation, except for entries that were moved. By then, the new one is
  /// known to deliver the same events.
  ///
  /// - Throws: ``AnnalsError`` with code `verifyFailed` for an error of a stage.
  ///
  /// - Parameter isSettingAside: Whether entries that cannot be upcast are skipped.
  /// - Parameter target: The new generation, from which entries that a stage has moved to other streams are
  ///   read.
  func verify(
    _ log: EventLog, last: UInt64, isSettingAside: Bool, target: RewriteSource
  ) throws(AnnalsError) {
    guard let plan = reach?.plan else { return }
    var history = LogHistory(log: log, last: last, adopted: plan.adopted)
    if isSettingAside { history.quarantine = Quarantine { _ in } }
    for (index, work) in plan.works.enumerated() {
      let (from, to) = (plan.schemas[index].version, plan.schemas[index + 1].version)
      // The pass that completed a stage has compared it, and nothing is left to compare.
      guard let verify = work.verify, try history.isStored(below: to, of: plan) else { continue }
      let source: any HistorySource =
        if let move { MovedHistory(older: history, target: target, version: move.to) } else { history }
      do { try verify(source, contexts) } catch {
        throw AnnalsError(
          .verifyFailed,
          "the 'verify' of the stage from \(from) to \(to) threw \((error as? AnnalsError)?.description ?? "\(type(of: error))"); the store is as it was",
          details: AnnalsError.Details { $0.version = to }, underlying: error)
      }
    }
  }
}
