import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends of events with ids to a store that recognises ids by a window or by an index, compared with the
/// same appends without ids.
struct AppendWithIDs: Scenario {
  let name = "append-ids"
  let unit = Unit.entriesPerSecond
  /// How the store recognises ids.
  let idempotency: StoreOptions.Idempotency
  let batch: Int
  let streams: Int
  /// How many events a repetition appends to each store, a multiple of `batch`.
  let entries: Int

  private static let bare = "without ids"

  var parameters: [String: Int] {
    var parameters = [
      "batch": batch, "streams": streams, "entries": entries, "payload": SampleEvent.payloadBytes,
    ]
    switch idempotency {
    case .window(let count): parameters["window"] = count
    case .always: parameters["always"] = 1
    }
    return parameters
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    var options = StoreOptions()
    // What a flush takes has nothing to do with it.
    options.durability = .relaxed
    options.idempotency = idempotency
    let known = try EventLog(at: site.directory.appendingPathComponent("ids.annals"), options: options)
    let bare = try EventLog(at: site.directory.appendingPathComponent("bare.annals"), options: options)
    return { [self] repetition in
      let seed = RoundRobin.seed + UInt64(repetition)
      // In turns, as subjects are.
      let times: (known: Duration, bare: Duration)
      if repetition.isMultiple(of: 2) {
        let first = try await time(of: bare, hasIDs: false, seed)
        times = (try await time(of: known, hasIDs: true, seed), first)
      } else {
        let first = try await time(of: known, hasIDs: true, seed)
        times = (first, try await time(of: bare, hasIDs: false, seed))
      }
      var found = Measurement(count: entries, in: times.known)
      found.ratios = [Self.bare: times.bare / times.known]
      return found
    }
  }

  /// How long the appends take, without the making of the events.
  private func time(of log: EventLog, hasIDs: Bool, _ seed: UInt64) async throws -> Duration {
    var events = RoundRobin(streams: streams, seed: seed)
    var time = Duration.zero
    for _ in 0..<entries / batch {
      let items = try events.batch(of: batch).map { event in
        (
          StreamName(event.streamName),
          [
            NewEntry(
              type: "Sampled", version: SchemaVersion(1, 0, 0), payload: try Payload(bytes: event.payload),
              id: hasIDs ? UUID() : nil)
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
