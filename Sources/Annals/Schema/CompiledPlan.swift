/// A plan ready to run: from every stored version and type to events of the current version.
///
/// The one pipeline by which events are delivered; it is made once, when a store is opened.
struct CompiledPlan: Sendable {
  /// What happens to payloads of one stored version and type.
  struct Step: Sendable {
    /// The version that the payloads were stored under.
    let version: SchemaVersion
    /// The record name that the payloads were stored under.
    let type: String
    /// Decodes a payload, lifts it and delivers what comes out.
    fileprivate let payload: PayloadStep
  }

  /// One step for each record of each schema: oldest schema first, then in the order of its cases.
  let steps: [Step]
  /// The schemas of the plan, oldest first.
  let schemas: [SchemaOutline]
  /// The schema that the program writes.
  let current: SchemaOutline
  private let indices: [SchemaVersion: [ExactText: Int]]
  private let origins: [[Int]]

  /// Checks the plan and makes its steps.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan`; its message lists every problem found and what to write.
  init<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) throws(AnnalsError) {
    let chain = Plan.stages
    let problems = chain.outline.problems()
    guard problems.isEmpty else {
      let list = problems.map { "\n- \($0)" }.joined()
      throw AnnalsError(.invalidPlan, "\(plan) does not hold together:\(list)")
    }
    let newest = try VersionSteps<Plan.Current.Event>()
    var table = [newest.payloads]
    _ = try chain.extend(newest, &table)

    var steps: [Step] = []
    var indices: [SchemaVersion: [ExactText: Int]] = [:]
    var origins = Array(repeating: [Int](), count: newest.payloads.count)
    for ((schema, payloads), reach) in zip(
      zip(chain.outline.schemas, table.reversed()), chain.outline.reach())
    {
      for ((record, payload), reached) in zip(zip(schema.records, payloads), reach) {
        indices[schema.version, default: [:]][record.name] = steps.count
        for caseIndex in reached { origins[caseIndex].append(steps.count) }
        steps.append(Step(version: schema.version, type: record.name.text, payload: payload))
      }
    }
    self.steps = steps
    self.indices = indices
    self.origins = origins
    self.schemas = chain.outline.schemas
    self.current = SchemaOutline(Plan.Current.self)
  }
}

extension CompiledPlan {
  /// Adds to `sink` the events that a stored payload is today, in order; after an error, none of them.
  ///
  /// - Parameters:
  ///   - step: The index of the payload's version and type, as ``reach(version:type:)`` gives it.
  ///   - payload: The payload as it was stored.
  ///   - origin: What is known of the entry.
  ///   - sink: A delivery of the plan's current event.
  func lift(step: Int, payload: Span<UInt8>, origin: Origin, into sink: Sink) throws(LiftFailure) {
    let before = sink.count
    do {
      try steps[step].payload.run(payload, origin, sink)
    } catch {
      sink.keep(first: before)
      throw LiftFailure(version: steps[step].version, type: steps[step].type, failure: error)
    }
  }

  /// The steps of all stored versions and types that can give events of the case numbered `caseIndex` of the current
  /// schema, oldest version first: what a filter by type has to look at.
  func sources(of caseIndex: Int) -> [Int] {
    origins[caseIndex]
  }

  /// The record name and the payload under which `event`, of the current schema, is stored.
  ///
  /// - Throws: ``CodingFailure`` where a value of the event has no encoding.
  func encode(_ event: some SchemaEvent) throws(CodingFailure) -> (type: String, payload: [UInt8]) {
    var payload: [UInt8] = []
    try event.encode(into: &payload)
    return (current.records[event.caseIndex].name.text, payload)
  }

  /// Where payloads stored as `type` under `version` enter the plan, or why they cannot.
  func reach(version: SchemaVersion?, type: String) -> Reach {
    guard let version else { return .missing(.unversioned) }
    guard let records = indices[version] else {
      if version > current.version { return .missing(.newerVersion(current: current.version)) }
      if let oldest = schemas.first?.version, version < oldest {
        return .missing(.olderVersion(oldest: oldest))
      }
      return .missing(.unknownVersion)
    }
    return records[ExactText(type)].map(Reach.step) ?? .missing(.unknownType(in: version))
  }

  /// Whether a plan can read a stored version and type.
  enum Reach: Equatable, Sendable {
    /// It can; this is the index of the step.
    case step(Int)
    /// It cannot, for want of this.
    case missing(MissingStep)
  }
}

/// What a plan lacks to read a stored version and type.
enum MissingStep: Equatable, Sendable {
  /// The events were stored without a version.
  case unversioned
  /// The version is above the plan's current one.
  case newerVersion(current: SchemaVersion)
  /// The version is below the plan's oldest one.
  case olderVersion(oldest: SchemaVersion)
  /// The version lies between the plan's, and none of its schemas has it.
  case unknownVersion
  /// The schema of this version has no such record.
  case unknownType(in: SchemaVersion)
}

extension MissingStep: CustomStringConvertible {
  /// The step that is missing, in words.
  var description: String {
    switch self {
    case .unversioned:
      "the events were stored without a schema version, and no stage begins there"
    case .newerVersion(let current):
      "the plan ends at version \(current): use the program that wrote the events, or a newer one"
    case .olderVersion(let oldest):
      "the plan begins at version \(oldest): put the older schemas and their stages before it"
    case .unknownVersion:
      "no schema of the plan has this version: put it and its stages back into the chain"
    case .unknownType(let version):
      "the schema of version \(version) has no record of this name: put it back, or return the name from its recordName"
    }
  }
}
