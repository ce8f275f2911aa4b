/// Reads of one entry of a long stream by its revision, chosen at random, each in a snapshot of its own.
struct RandomRevision: Scenario {
  let name = "random-revision"
  let unit = Unit.microseconds
  let target: Target? = .both(.atMost(15), .within(0.67, of: "sqlite"))
  /// One stream, or some whose entries alternate; the first is read.
  let filling: Filling
  /// How many entries a repetition reads.
  let reads: Int

  var parameters: [String: Int] { filling.parameters.merging(["reads": reads]) { $1 } }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard let readable = subject as? any StreamReader.Type else { return nil }
    return try await trial(reading: readable, at: site)
  }

  private func trial<S: StreamReader>(reading subject: S.Type, at site: Site) async throws -> Trial {
    let subject = try S(openingIn: await site.stores.store(of: subject, filling))
    // The first pass maps the pages.
    guard try subject.scan().entries == filling.entries else {
      throw WrongWork(description: "\(S.name) holds another number of entries than were appended")
    }
    return { [filling, reads] _ in
      var random = SplitMix64(seed: RoundRobin.seed)
      let revisions = (0..<reads).map { _ in Int.random(in: 0..<filling.entriesPerStream, using: &random) }
      var found = 0
      var latencies: [Duration] = []
      latencies.reserveCapacity(reads)
      for revision in revisions {
        let start = ContinuousClock.now
        found += try subject.read(stream: 0, revision: revision)
        latencies.append(start.duration(to: .now))
      }
      guard found == reads else {
        throw WrongWork(description: "\(S.name) found \(found) of \(reads) entries")
      }
      let time = latencies.reduce(.zero, +)
      return Measurement(rate: time / .microseconds(1) / Double(reads), latencies: latencies)
    }
  }
}
