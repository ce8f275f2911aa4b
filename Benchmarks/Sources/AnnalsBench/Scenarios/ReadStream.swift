/// Reads of all entries of one stream after the other, chosen at random, each in a snapshot of its own.
struct ReadStream: Scenario {
  let name = "read-stream"
  let unit = Unit.entriesPerSecond
  let filling: Filling
  /// How many streams a repetition reads.
  let reads: Int

  var parameters: [String: Int] { filling.parameters.merging(["reads": reads]) { $1 } }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard let readable = subject as? any StreamReader.Type else { return nil }
    return try await trial(reading: readable, at: site)
  }

  private func trial<S: StreamReader>(reading subject: S.Type, at site: Site) async throws -> Trial {
    let subject = try S(openingIn: await site.stores.store(of: subject, filling))
    return { [filling, reads] _ in
      var random = SplitMix64(seed: RoundRobin.seed)
      let streams = (0..<reads).map { _ in Int.random(in: 0..<filling.streams, using: &random) }
      var entries = 0
      var latencies: [Duration] = []
      latencies.reserveCapacity(reads)
      for stream in streams {
        let start = ContinuousClock.now
        entries += try subject.read(stream: stream)
        latencies.append(start.duration(to: .now))
      }
      guard entries == reads * filling.entriesPerStream else {
        throw WrongWork(description: "\(S.name) read \(entries) entries of \(reads) streams")
      }
      return Measurement(count: entries, in: latencies.reduce(.zero, +), latencies: latencies)
    }
  }
}
