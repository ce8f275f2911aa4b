#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads of all entries of one stream after the other, chosen at random, each in a snapshot of its own.
struct ReadStream: Scenario {
  let name = "read-stream"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(2.5, of: "sqlite")
  let filling: Filling
  /// How many streams a repetition reads.
  let reads: Int

  var parameters: [String: Int] { filling.parameters.merging(["reads": reads]) { $1 } }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard let readable = subject as? any StreamReader.Type else { return nil }
    return try await trial(reading: readable, at: site)
  }

  func trial(of peer: PythonPeer, at site: Site) async throws -> Trial? {
    let filled = try await site.stores.store(of: peer, filling)
    let streams = site.directory.appendingPathComponent("streams")
    try PythonPeer.write(chosen.map { UInt32($0) }, to: streams)
    return { [filling, reads] _ in
      try peer.read(streams, in: filled, expecting: reads * filling.entriesPerStream)
    }
  }

  /// The streams that a repetition reads.
  private var chosen: [Int] {
    var random = SplitMix64(seed: RoundRobin.seed)
    return (0..<reads).map { _ in Int.random(in: 0..<filling.streams, using: &random) }
  }

  private func trial<S: StreamReader>(reading subject: S.Type, at site: Site) async throws -> Trial {
    let subject = try S(openingIn: await site.stores.store(of: subject, filling))
    let streams = chosen
    return { [filling, reads] _ in
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
