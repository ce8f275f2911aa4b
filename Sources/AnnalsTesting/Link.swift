import Annals

/// The chain of a plan as it was at one version, with values derived from it.
struct Link: Sendable {
  let chain: any PlanChain
  let version: SchemaVersion
  let isDraft: Bool
  /// The samples of each record.
  let records: [(record: String, samples: [Sample])]
  /// The logs that the schema declares.
  let logs: [[Sample]]

  init(_ chain: some PlanChain) throws(AnnalsError) {
    self.chain = chain
    let type = Swift.type(of: chain)
    version = type.version
    isDraft = type.isDraft
    records = try type.samples()
    logs = try chain.sampleLogs()
  }

  /// Returns the links of a plan, oldest first.
  static func all<Plan: SchemaMigrationPlan>(of plan: Plan.Type) throws(AnnalsError) -> [Link] {
    var links: [Link] = []
    for chain in try Plan.chains() { links.append(try Link(chain)) }
    return links
  }

  /// The groups that are read together: all samples of all records as one log, and each log that the schema
  /// declares.
  var groups: [[Sample]] { ([samples] + logs).filter { !$0.isEmpty } }

  /// All samples of all records.
  var samples: [Sample] { records.flatMap(\.samples) }

  /// Returns the upcast of a log's payloads to this version.
  func upcaster(
    _ contexts: FrozenContexts, over log: [(form: StoredForm, origin: Origin)]
  ) throws(AnnalsError) -> SampleUpcaster {
    try SampleUpcaster(chain, contexts, over: log)
  }
}
