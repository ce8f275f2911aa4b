import Annals

/// A value out of a record's `samples`, as one version stores it.
struct Sample: Sendable {
  /// Which one of its record's it is, counted from 0.
  let number: Int
  /// The payload.
  let form: StoredForm

  /// The record's name and the number.
  var name: String { "\(form.type)[\(number)]" }
}

extension PlanChain {
  /// The samples of each record of the current schema, in the order of its cases.
  static func samples() throws(AnnalsError) -> [(record: String, samples: [Sample])] {
    var all: [(record: String, samples: [Sample])] = []
    for record in Current.Event.records {
      all.append((record.type.recordName, try samples(of: record.type)))
    }
    return all
  }

  private static func samples<R: Record>(of type: R.Type) throws(AnnalsError) -> [Sample] {
    var samples: [Sample] = []
    for (number, value) in R.samples.enumerated() {
      samples.append(Sample(number: number, form: try StoredForm(value, in: Current.self)))
    }
    return samples
  }

  /// The version that the chain ends at.
  static var version: SchemaVersion { Current.version }
  /// Whether that version may still change.
  static var isDraft: Bool { Current.stability == .draft }
}

/// The chain of a plan as it was at one version, with what is looked up by it.
struct Link: Sendable {
  let chain: any PlanChain
  let version: SchemaVersion
  let isDraft: Bool
  /// By record, its samples.
  let records: [(record: String, samples: [Sample])]

  init(_ chain: some PlanChain) throws(AnnalsError) {
    self.chain = chain
    let type = Swift.type(of: chain)
    version = type.version
    isDraft = type.isDraft
    records = try type.samples()
  }

  /// The links of a plan, oldest first.
  static func all<Plan: SchemaMigrationPlan>(of plan: Plan.Type) throws(AnnalsError) -> [Link] {
    var links: [Link] = []
    for chain in try Plan.chains() { links.append(try Link(chain)) }
    return links
  }

  /// All samples of all records.
  var samples: [Sample] { records.flatMap(\.samples) }

  /// What takes a payload to this version.
  func lift(_ contexts: FrozenContexts) throws(AnnalsError) -> Lift {
    try Self.lift(chain, contexts)
  }

  private static func lift(_ chain: some PlanChain, _ contexts: FrozenContexts) throws(AnnalsError) -> Lift {
    let pipeline = try chain.pipeline(contexts)
    return Lift { form, origin in pipeline.outcome(of: form, at: origin) }
  }
}

/// What takes a payload to one version.
struct Lift: Sendable {
  /// What comes of a payload at a place.
  let outcome: @Sendable (StoredForm, Origin) -> Outcome

  /// What comes of a payload that is stored again at each of these versions, as a migration pass stores it: coordinates stay, parts keep their paths.
  static func outcome(
    of form: StoredForm, at origin: Origin, through lifts: ArraySlice<Lift>
  ) -> Outcome {
    guard let first = lifts.first else {
      return .events([
        Outcome.Part(
          position: origin.position, stream: origin.stream, revision: origin.revision, path: origin.path,
          form: form)
      ])
    }
    let outcome = first.outcome(form, origin)
    guard case .events(let parts) = outcome else { return outcome }
    var all: [Outcome.Part] = []
    // A part is taken to the end before the next one begins, as when all stages run in one go: the first error is then the same.
    for part in parts {
      let next = Self.outcome(of: part.form, at: origin.with(path: part.path), through: lifts.dropFirst())
      guard case .events(let last) = next else { return next }
      all += last
    }
    return .events(all)
  }
}

extension Origin {
  /// The same entry, as the part with this path.
  func with(path: [UInt32]) -> Origin {
    Origin(
      position: position, path: path, stream: stream, revision: revision, timestamp: timestamp, id: id,
      metadata: metadata, log: log)
  }
}
