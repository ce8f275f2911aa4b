#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Opening a store, reading one of its streams, chosen at random, and closing it, again and again.
struct RandomReopen: Scenario {
  let name = "random-reopen"
  let unit = Unit.milliseconds
  let filling: Filling
  /// How often a repetition opens the store.
  let opens: Int

  var parameters: [String: Int] { filling.parameters.merging(["opens": opens]) { $1 } }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard let readable = subject as? any StreamReader.Type else { return nil }
    return try await trial(reading: readable, at: site)
  }

  private func trial<S: StreamReader>(reading subject: S.Type, at site: Site) async throws -> Trial {
    let place = try await site.stores.store(of: subject, filling)
    return { [filling, opens] _ in
      var random = SplitMix64(seed: RoundRobin.seed)
      var entries = 0
      var latencies: [Duration] = []
      for _ in 0..<opens {
        let stream = Int.random(in: 0..<filling.streams, using: &random)
        let start = ContinuousClock.now
        entries += try Self.read(S.self, stream, in: place)
        try S.waitUntilClosed(in: place)
        latencies.append(start.duration(to: .now))
      }
      guard entries == opens * filling.entriesPerStream else {
        throw WrongWork(description: "\(S.name) read \(entries) entries of \(opens) streams")
      }
      let time = latencies.reduce(.zero, +)
      return Measurement(rate: time / .milliseconds(1) / Double(opens), latencies: latencies)
    }
  }

  /// In a function of its own, so that the subject is released when this returns.
  private static func read<S: StreamReader>(_: S.Type, _ stream: Int, in place: URL) throws -> Int {
    try S(openingIn: place).read(stream: stream)
  }
}
