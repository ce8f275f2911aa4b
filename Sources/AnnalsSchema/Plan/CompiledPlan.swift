package import AnnalsCoding
package import AnnalsShapes

/// A plan that is ready to run: it converts every stored version and type to events of the current version.
///
/// All events are delivered through it. It is made once, when a store is opened.
package struct CompiledPlan: Sendable {
  /// The step for payloads of one stored version and type.
  package struct Step: Sendable {
    /// The version that the payloads were stored under.
    package let version: SchemaVersion
    /// The record name that the payloads were stored under.
    package let type: String
    /// Decodes a payload, upcasts it and delivers the results.
    let payload: PayloadStep
    /// The shape of payloads of the version and type; `nil` if they are stored by name.
    package let shape: StoredShape?
    /// The number of the stage that keeps the payloads as they are stored; `nil` if none does.
    package let retainedBy: Int?
  }

  /// One step for each record of each schema: oldest schema first, then in the order of its cases.
  package let steps: [Step]
  /// The schemas of the plan, oldest first.
  package let schemas: [SchemaOutline]
  /// The schema in which the program appends events.
  package let current: SchemaOutline
  /// The version for events without one; `nil` if they are refused.
  package var adopted: SchemaVersion?
  /// The last release that reads each version below the oldest one.
  var lastReleases: [SchemaVersion: String] = [:]
  /// The newest version whose stored events are read; newer ones are skipped. `nil` if all are read.
  package var newestStored: SchemaVersion?
  /// Whether reads may go through stages that move entries to other streams: in a pass that moves them, and
  /// for the results of such a pass.
  package var passesStreams = false
  /// The stages, oldest first.
  package let stages: [StageOutline]
  /// For each stage, its work on the whole log.
  package let works: [StageWork]
  /// Where groups of folds end, as far as that has been computed.
  package let groupEnds: [ContextTable]
  /// The kind of the stored records, by case of the current event.
  package let written: [RecordKind]
  /// Whether current events may refer to attachments.
  package let mayAttach: Bool
  /// The keys of personal fields; `nil` if the opener has none.
  package let keys: (any PersonalDataCipher)?
  /// For each stage, the conversion of each record of its older schema.
  package let crossings: [[RecordCrossing]]
  /// For each version that a stage with a fold leads to, the plan up to the version before, from which the
  /// fold takes records.
  package let beforeFolds: [SchemaVersion: CompiledPlan]
  package let indices: [SchemaVersion: [ExactText: Int]]
  /// How current records are stored for programs of the previous version; `nil` if the current schema is no
  /// bridge.
  package let bridge: CompiledBridge?
  /// Whether a stage keeps some entries as they are stored.
  package let retainsRecords: Bool
  private let origins: [[Int]]

  /// Checks the plan and makes its steps.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan`; its message lists every problem found and what to
  ///   write.
  package init<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ contexts: StageContexts = StageContexts()
  ) throws(AnnalsError) {
    let chain = Plan.stages
    let problems = chain.outline.problems()
    guard problems.isEmpty else {
      let list = problems.map { "\n- \($0)" }.joined()
      throw AnnalsError(.invalidPlan, "\(plan) does not hold together:\(list)")
    }
    if let adopted = Plan.unversioned.version,
      !chain.outline.schemas.contains(where: { $0.version == adopted })
    {
      throw AnnalsError(
        .invalidPlan,
        "\(plan) takes events without a version for ones of \(adopted), which is no version of its chain: name one of its schemas in 'unversioned'"
      )
    }
    try self.init(chain, contexts, unversioned: Plan.unversioned.version)
    lastReleases = Plan.lastReleases
  }

  /// Makes the steps of a valid chain.
  package init<Oldest, Current>(
    _ chain: MigrationChain<Oldest, Current>, _ contexts: StageContexts, unversioned: SchemaVersion? = nil
  ) throws(AnnalsError) {
    adopted = unversioned
    keys = contexts.keys
    var beforeFolds: [SchemaVersion: CompiledPlan] = [:]
    for (version, chain) in chain.beforeFolds { beforeFolds[version] = try chain.plan(contexts) }
    self.beforeFolds = beforeFolds
    let newest = try VersionSteps<Current.Event>()
    var table = [newest.payloads]
    _ = try chain.extend(newest, contexts, &table)

    var steps: [Step] = []
    var indices: [SchemaVersion: [ExactText: Int]] = [:]
    var origins = Array(repeating: [Int](), count: newest.payloads.count)
    let (schemas, retention) = (chain.outline.schemas, chain.outline.retention())
    for (((schema, payloads), reach), retained) in zip(
      zip(zip(schemas, table.reversed()), chain.outline.reach()), retention)
    {
      for (((record, payload), reached), retained) in zip(zip(zip(schema.records, payloads), reach), retained)
      {
        var payload = payload
        if let stage = retained.stage {
          payload = payload.retained(
            at: RuleSite(
              from: schemas[stage].version, to: schemas[stage + 1].version, type: record.name.text))
        }
        indices[schema.version, default: [:]][record.name] = steps.count
        for caseIndex in reached { origins[caseIndex].append(steps.count) }
        steps.append(
          Step(
            version: schema.version, type: record.name.text, payload: payload, shape: record.shape,
            retainedBy: retained.stage))
      }
    }
    self.steps = steps
    retainsRecords = steps.contains { $0.retainedBy != nil }
    self.indices = indices
    self.origins = origins
    self.schemas = chain.outline.schemas
    self.current = SchemaOutline(Current.self)
    works = chain.works
    groupEnds = Array(contexts.groupEnds.values)
    stages = chain.outline.stages
    crossings = chain.outline.crossings
    let stage = chain.outline.stages.count - 1
    let newer = self.current
    bridge =
      stage < 0
      ? nil
      : chain.outline.bridgeForms(ofStage: stage).map { forms in
        let older = chain.outline.schemas[stage]
        return CompiledBridge(
          forms: forms, rules: chain.works[stage].downcasts,
          fields: chain.outline.bridgedFields(ofStage: stage, forms),
          newer: newer, older: older,
          written: older.records.map {
            RecordKind(type: $0.name, version: older.version, shape: $0.shape, stability: older.stability)
          },
          steps: older.records.compactMap { record in
            indices[older.version]?[record.name].map { steps[$0].payload }
          })
      }
    mayAttach = self.current.records.contains { record in
      record.shape.map { $0.shape.fields.contains { $0.shape.mayContainAttachments } } ?? true
    }
    let (version, stability) = (Current.version, Current.stability)
    written = self.current.records.map {
      RecordKind(type: $0.name, version: version, shape: $0.shape, stability: stability)
    }
  }
}

extension CompiledPlan {
  /// The chain of the plan.
  package var outline: ChainOutline {
    ChainOutline(schemas: schemas, stages: stages, crossings: crossings)
  }

  /// Returns the numbers of the stages after `version` that move entries to other streams, oldest first.
  package func movingStages(after version: SchemaVersion) -> [Int] {
    stages.indices.filter { stages[$0].movesStreams && schemas[$0 + 1].version > version }
  }

  /// Returns the steps of all stored versions and types that can become events of the case numbered
  /// `caseIndex` of the current schema, oldest version first. A filter by type must read all of them.
  package func sources(of caseIndex: Int) -> [Int] {
    origins[caseIndex]
  }

  /// Returns the steps of all stored versions and types that can become events of any of these cases of the
  /// current schema.
  package func sources(ofAny cases: Set<Int>) -> Set<Int> {
    cases.reduce(into: []) { $0.formUnion(sources(of: $1)) }
  }

  /// Returns the record type and payload that store `event`, of the current schema.
  ///
  /// - Throws: ``CodingFailure`` if a value of the event has no encoding.
  package func encode(
    _ event: some SchemaEvent
  ) throws(CodingFailure) -> (record: RecordKind, payload: [UInt8]) {
    var payload: [UInt8] = []
    payload.reserveCapacity(64)
    try event.encode(into: &payload)
    return (written[event.caseIndex], payload)
  }
}
