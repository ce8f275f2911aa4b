import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads of all entries of one tag of many, chosen at random, compared with reads of streams of the same
/// length in the same store. Each read has a snapshot of its own.
struct ReadTag: Scenario {
  let name = "read-tag"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(0.6, of: stream)
  /// The number of tags, and of streams.
  let tags: Int
  /// The number of entries of each.
  let length: Int
  /// How many tags and streams a repetition reads.
  let reads: Int

  private static let stream = "a stream"

  var parameters: [String: Int] {
    ["tags": tags, "entries": tags * length, "reads": reads, "payload": SampleEvent.payloadBytes]
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let log = try EventLog(at: site.directory.appendingPathComponent("tags.annals"))
    try await fill(log)
    return { [self] repetition in
      var random = SplitMix64(seed: RoundRobin.seed + UInt64(repetition))
      let chosen = (0..<reads).map { _ in Int.random(in: 0..<tags, using: &random) }
      let times: (tag: Duration, stream: Duration)
      if repetition.isMultiple(of: 2) {
        let first = try readStreams(log, chosen)
        times = (try readTags(log, chosen), first)
      } else {
        let first = try readTags(log, chosen)
        times = (first, try readStreams(log, chosen))
      }
      var found = Measurement(count: reads * length, in: times.tag)
      found.ratios = [Self.stream: times.stream / times.tag]
      return found
    }
  }

  /// Streams and tags alternate independently of each other.
  private func fill(_ log: EventLog) async throws {
    var events = RoundRobin(streams: tags)
    var order = RoundRobin(streams: tags, seed: ~RoundRobin.seed)
    var left = tags * length
    while left > 0 {
      let count = min(left, Filling.batch)
      let items = try events.batch(of: count).map { event in
        (
          StreamName(event.streamName),
          [
            NewEntry(
              type: "Sampled", version: SchemaVersion(1, 0, 0), payload: try Payload(bytes: event.payload),
              tags: [EventTag("tag", order.stream())])
          ]
        )
      }
      try await log.append { call in
        for (stream, entries) in items { call.append(entries, to: stream) }
      }
      left -= count
    }
  }

  private func readTags(_ log: EventLog, _ numbers: [Int]) throws -> Duration {
    let queries = numbers.map { LogQuery([LogQuery.Item(tags: [EventTag("tag", $0)])]) }
    return try time(of: queries, log) { query, snapshot throws(AnnalsError) in
      var found = 0
      var entries = try snapshot.entries(matching: query)
      while try entries.next() != nil { found += 1 }
      return found
    }
  }

  private func readStreams(_ log: EventLog, _ numbers: [Int]) throws -> Duration {
    let names = numbers.map { StreamName(SampleEvent.name(ofStream: $0)) }
    return try time(of: names, log) { name, snapshot throws(AnnalsError) in
      var found = 0
      var entries = try snapshot.entries(in: name)
      while try entries.next() != nil { found += 1 }
      return found
    }
  }

  private func time<Place>(
    of places: [Place], _ log: EventLog,
    _ read: (Place, borrowing LogSnapshot) throws(AnnalsError) -> Int
  ) throws -> Duration {
    var found = 0
    let start = ContinuousClock.now
    for place in places {
      found += try log.read { (snapshot) throws(AnnalsError) in try read(place, snapshot) }
    }
    let time = start.duration(to: .now)
    guard found == places.count * length else {
      throw WrongWork(description: "\(found) entries were read, not \(places.count * length)")
    }
    return time
  }
}
