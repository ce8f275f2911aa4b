import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends of large batches of events with one tag each, compared with the same batches without tags.
struct AppendTagged: Scenario {
  let name = "append-tagged"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(0.6, of: bare)
  let batch: Int
  let streams: Int
  /// The number of distinct tags, which the events have in turns, in random order.
  let tags: Int
  /// How many events a repetition appends to each store, a multiple of `batch`.
  let entries: Int

  private static let bare = "without tags"

  var parameters: [String: Int] {
    [
      "batch": batch, "streams": streams, "tags": tags, "entries": entries,
      "payload": SampleEvent.payloadBytes,
    ]
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let tagged = try EventLog(at: site.directory.appendingPathComponent("tagged.annals"))
    let bare = try EventLog(at: site.directory.appendingPathComponent("bare.annals"))
    return { [self] repetition in
      let seed = RoundRobin.seed + UInt64(repetition)
      // In turns, as subjects are.
      let times: (tagged: Duration, bare: Duration)
      if repetition.isMultiple(of: 2) {
        let first = try await time(of: bare, hasTags: false, seed)
        times = (try await time(of: tagged, hasTags: true, seed), first)
      } else {
        let first = try await time(of: tagged, hasTags: true, seed)
        times = (first, try await time(of: bare, hasTags: false, seed))
      }
      var found = Measurement(count: entries, in: times.tagged)
      found.ratios = [Self.bare: times.bare / times.tagged]
      return found
    }
  }

  /// How long the appends take, without the making of the events.
  private func time(of log: EventLog, hasTags: Bool, _ seed: UInt64) async throws -> Duration {
    var events = RoundRobin(streams: streams, seed: seed)
    var order = RoundRobin(streams: tags, seed: ~seed)
    var time = Duration.zero
    for _ in 0..<entries / batch {
      let items = try events.batch(of: batch).map { event in
        (
          StreamName(event.streamName),
          [
            NewEntry(
              type: "Sampled", version: SchemaVersion(1, 0, 0), payload: try Payload(bytes: event.payload),
              tags: hasTags ? [EventTag("tag", order.stream())] : [])
          ]
        )
      }
      let start = ContinuousClock.now
      try await log.append { call in
        for (stream, entries) in items { call.append(entries, to: stream) }
      }
      time += start.duration(to: .now)
    }
    return time
  }
}
