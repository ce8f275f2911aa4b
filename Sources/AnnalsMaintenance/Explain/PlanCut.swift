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
  ///   - adopted: The version that events without one are adopted as.
  ///   - passesOverNewer: Whether entries of newer versions are left out, because no stage before the cut
  ///     concerns them.
  init<Chain: PlanChain>(
    _ chain: Chain, _ contexts: StageContexts, adopted: SchemaVersion?, passesOverNewer: Bool
  ) throws(AnnalsError) {
    var pipeline = try chain.pipeline(FrozenContexts(contexts))
    pipeline.plan.adopted = adopted
    pipeline.plan.newestStored = passesOverNewer ? pipeline.plan.current.version : nil
    let plan = pipeline.plan
    let forms = pipeline
    let reach = PlanResolver(plan)
    version = plan.current.version
    prove = { (snapshot) throws(AnnalsError) in
      _ = try reach.prove(snapshot.reader.census(), snapshot.kinds)
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
          chain, contexts, adopted: whole.adopted,
          passesOverNewer: passingOverNewer && schema.version != whole.current.version))
    }
    guard let version, cuts.isEmpty else { return cuts }
    let known = whole.schemas.map(\.version.description).joined(separator: ", ")
    throw AnnalsError(
      .wrongUse, "\(plan) has no version \(version); its versions are \(known)",
      details: AnnalsError.Details { $0.version = version })
  }
}
