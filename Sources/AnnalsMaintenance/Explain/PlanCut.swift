internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

/// A plan cut off at one of its versions, for the log of one store. It delivers stored entries at that
/// version.
struct PlanCut: Sendable {
  /// The version that it ends at.
  let version: SchemaVersion
  /// Reads an entry at the version, and appends its events to a list.
  let events:
    @Sendable (borrowing LogSnapshot, borrowing LentEntry, StreamName) throws(AnnalsError) -> [LogEntry.Part]
  /// Makes sure that everything which the snapshot has can be read at the version.
  let prove: @Sendable (borrowing LogSnapshot) throws(AnnalsError) -> Void
  /// Finds the fields of the snapshot's entries that their version does not declare, and that reading leaves
  /// out.
  let undeclared: @Sendable (borrowing LogSnapshot) throws(AnnalsError) -> UndeclaredWatch
  /// Makes sure that contexts which the version needs are there.
  let mustBeActivated: @Sendable (EventLog) throws(AnnalsError) -> Void

  /// Cuts a plan off after `chain`.
  ///
  /// - Parameters:
  ///   - contexts: The store's contexts of stages.
  ///   - whole: The whole plan.
  ///   - passesOverNewer: Whether entries of newer versions are left out, because no stage before the cut
  ///     concerns them.
  init<Chain: PlanChain>(
    _ chain: Chain, _ contexts: StageContexts, of whole: CompiledPlan, passesOverNewer: Bool
  ) throws(AnnalsError) {
    var pipeline = try chain.pipeline(FrozenContexts(contexts))
    pipeline.plan.adopted = whole.adopted
    pipeline.plan.newestStored = passesOverNewer ? pipeline.plan.current.version : nil
    let plan = pipeline.plan
    let forms = pipeline
    let reach = PlanResolver(plan)
    let (version, newest) = (plan.current.version, whole.current.version)
    self.version = version
    prove = { (snapshot) throws(AnnalsError) in
      do throws(AnnalsError) { _ = try reach.prove(snapshot.reader.census(), snapshot.kinds) } catch {
        guard error.code == .newerSchema, version < newest else { throw error }
        throw AnnalsError(
          error.code, "version \(version) of the plan",
          cannotRead: error.details.kinds.map { $0.of(version, in: snapshot.kinds, upTo: newest) })
      }
    }
    undeclared = { (snapshot) throws(AnnalsError) in
      UndeclaredWatch(plan, try snapshot.reader.census(), snapshot.kinds, .dump)
    }
    mustBeActivated = { (log) throws(AnnalsError) in try Activation(log, plan).mustBeDone(contexts) }
    events = { (snapshot, entry, stream) throws(AnnalsError) in
      let delivery = TypedEventBuffer<Chain.Current.Event>()
      let upcaster = Upcaster(
        reach: reach, kinds: snapshot.kinds, log: snapshot.generation.meta.log,
        generation: snapshot.generation)
      try upcaster.upcast(entry, of: stream, into: delivery)
      var parts: [LogEntry.Part] = []
      for lifted in delivery.entries {
        let form = try forms.form(of: lifted.event).named()
        parts.append(
          LogEntry.Part(
            path: lifted.path, type: form.type, version: form.version, payload: Payload(stored: form.payload))
        )
      }
      return parts
    }
  }
}

extension UnreadableKind {
  /// The same kind, with the versions of the plan that can read it, if those up to `newest` can.
  fileprivate func of(
    _ cut: SchemaVersion, in kinds: KindRegistry, upTo newest: SchemaVersion
  ) -> UnreadableKind {
    guard let version, version > cut, version <= newest else { return self }
    // By name and by shape they are two kinds, and one record.
    let same = kinds.kinds.values.filter {
      ExactText($0.row.name) == ExactText(type) && $0.version == version
    }
    let oldest = same.map { $0.row.oldestReader ?? version }.max() ?? version
    let first = oldest > cut ? oldest : version
    return UnreadableKind(
      type: type, version: version, count: count, firstPosition: firstPosition,
      missing: "versions from \(first) on can read the events: use one of them ('--as \(first)')")
  }
}

extension EventLog {
  /// The cuts of `plan` after each of its versions, oldest first, with the contexts that the store has.
  ///
  /// - Parameter version: The one version that is wanted; all where it is `nil`.
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, or `wrongUse` if the plan does not have the version.
  func cuts<Plan: SchemaMigrationPlan>(
    of plan: Plan.Type, passingOverNewer: Bool, only version: SchemaVersion? = nil
  ) throws(AnnalsError) -> [PlanCut] {
    let whole = try CompiledPlan(plan, StageContexts(keys: options.keys))
    if whole.hasPersonalFields || options.keys != nil { try attachKeys(for: "\(plan)") }
    let contexts = try Activation(self, whole).contexts()
    var cuts: [PlanCut] = []
    for (chain, schema) in zip(try plan.chains(), whole.schemas)
    where version ?? schema.version == schema.version {
      cuts.append(
        try PlanCut(
          chain, contexts, of: whole,
          passesOverNewer: passingOverNewer && schema.version != whole.current.version))
    }
    guard let version, cuts.isEmpty else { return cuts }
    let known = whole.schemas.map(\.version.description).joined(separator: ", ")
    throw AnnalsError(
      .wrongUse, "\(plan) has no version \(version); its versions are \(known)",
      details: AnnalsError.Details { $0.version = version })
  }
}
