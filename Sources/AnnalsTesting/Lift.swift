import Annals

/// What takes a payload to one version.
struct Lift: Sendable {
  /// What comes of a payload at a place.
  let outcome: @Sendable (StoredForm, Origin) -> Outcome

  /// What a chain makes of the payloads of a log; folds find there what stands before an entry.
  init(
    _ chain: some PlanChain, _ contexts: FrozenContexts, over log: [(form: StoredForm, origin: Origin)]
  ) throws(AnnalsError) {
    let pipeline = try chain.pipeline(contexts)
    let past = pipeline.past(of: log)
    outcome = { form, origin in pipeline.outcome(of: form, at: origin, past: past) }
  }

  /// The log as it is when every entry of it was stored again; entries that are refused are not in it.
  func log(
    _ log: [(form: StoredForm, origin: Origin)]
  ) -> [(form: StoredForm, origin: Origin)] {
    log.flatMap { form, origin -> [(form: StoredForm, origin: Origin)] in
      guard case .events(let parts) = outcome(form, origin) else { return [] }
      return parts.map { (form: $0.form, origin: origin.with(path: $0.path)) }
    }
  }

  /// The outcome of a payload that is stored again at each of these versions, as a migration pass stores it.
  ///
  /// Coordinates stay, and parts keep their paths.
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
    // A part is taken to the end before the next one begins, as when all stages run in one go. So the first
    // error is the same.
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
