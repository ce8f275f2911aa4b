import Annals

/// Upcasts payloads to one version.
struct SampleUpcaster: Sendable {
  /// Returns the outcome of a payload at a place.
  let outcome: @Sendable (StoredForm, Origin) -> Outcome

  /// Upcasts the payloads of a log with a chain. Folds use the log to find the events before an entry.
  init(
    _ chain: some PlanChain, _ contexts: FrozenContexts, over log: [(form: StoredForm, origin: Origin)]
  ) throws(AnnalsError) {
    let pipeline = try chain.pipeline(contexts)
    let past = pipeline.past(of: log)
    outcome = { form, origin in pipeline.outcome(of: form, at: origin, past: past) }
  }

  /// Returns the log with every entry stored again, without the entries that are refused.
  func log(
    _ log: [(form: StoredForm, origin: Origin)]
  ) -> [(form: StoredForm, origin: Origin)] {
    log.flatMap { form, origin -> [(form: StoredForm, origin: Origin)] in
      guard case .events(let parts) = outcome(form, origin) else { return [] }
      return parts.map { (form: $0.form, origin: origin.with(path: $0.path)) }
    }
  }

  /// Returns the outcome of a payload that is stored again at each of these versions, as a migration pass
  /// stores it.
  ///
  /// Coordinates are unchanged, and parts keep their paths.
  static func outcome(
    of form: StoredForm, at origin: Origin, through upcasters: ArraySlice<SampleUpcaster>
  ) -> Outcome {
    guard let first = upcasters.first else {
      return .events([
        Outcome.Part(
          position: origin.position, stream: origin.stream, revision: origin.revision, path: origin.path,
          form: form)
      ])
    }
    let outcome = first.outcome(form, origin)
    guard case .events(let parts) = outcome else { return outcome }
    var all: [Outcome.Part] = []
    // Each part is finished before the next begins, as when all stages run in one go. The first error is
    // therefore the same.
    for part in parts {
      let next = Self.outcome(of: part.form, at: origin.with(path: part.path), through: upcasters.dropFirst())
      guard case .events(let last) = next else { return next }
      all += last
    }
    return .events(all)
  }
}

extension Origin {
  /// Returns the same entry as the part with this path.
  func with(path: [UInt32]) -> Origin {
    Origin(
      position: position, path: path, stream: stream, revision: revision, timestamp: timestamp, id: id,
      metadata: metadata, log: log)
  }
}
