import Annals

/// A pass on two threads, compared with one on one thread.
///
/// The time of `lmdb` for the same payloads and commits counts as the part that cannot be shared. The ratio
/// to `expected` compares the measured speed-up with the one that this part allows (Amdahl, "Validity of the
/// single processor approach", 1967).
struct PassThreads: Scenario {
  let unit = Unit.entriesPerSecond
  let log: TypedLog
  /// Whether all of the pass is timed, or only the copying of entries.
  let isWhole: Bool

  private static let expected = "expected"

  var name: String { "pass-threads\(isWhole ? "" : "-copy")" }
  var target: Target? { isWhole ? nil : .part(0.8, of: Self.expected) }
  var parameters: [String: Int] { log.parameters.merging(["threads": 2]) { $1 } }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let filled = try await site.stores.store(of: log)
    let peer = PassRate.appending(log, at: site)
    return { [self] repetition in
      var times: [Duration] = []
      for threads in repetition.isMultiple(of: 2) ? [1, 2] : [2, 1] {
        times.append(
          try await TypedLog.lendCopy(of: filled, in: site.directory) { directory in
            var options = MigrationOptions()
            options.threads = threads
            let pass = try await WatchedPass(.rule, in: directory, options)
            return isWhole ? pass.whole : pass.copying
          })
      }
      if !repetition.isMultiple(of: 2) { times.reverse() }
      let (one, two) = (times[0], times[1])
      let alone = Duration.seconds(Double(log.entries) / (try await peer(repetition).rate))
      let serial = min(alone / one, 1)
      var found = Measurement(count: log.entries, in: two)
      found.ratios = [
        "1 thread": one / two, "serial share": serial,
        Self.expected: one / two * (serial + (1 - serial) / 2),
      ]
      return found
    }
  }
}
