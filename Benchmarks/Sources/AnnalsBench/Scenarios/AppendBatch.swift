#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends of many events in one durable transaction each, to streams in turns, into a new store.
struct AppendBatch: Scenario {
  let name = "append-batch"
  let unit = Unit.entriesPerSecond
  /// How many events a transaction has.
  let batch: Int
  let streams: Int
  /// How many events are appended in all, a multiple of `batch`.
  let entries: Int

  var parameters: [String: Int] {
    ["batch": batch, "streams": streams, "entries": entries, "payload": SampleEvent.payloadBytes]
  }

  /// Only the appends are timed, not the making of events between them.
  func trial<S: Subject>(of subject: S.Type, in directory: URL) async throws -> Trial? {
    { [self] in
      try await Workplace.lend(inside: directory) { directory in
        let subject = try S(creatingIn: directory)
        var events = RoundRobin(streams: streams)
        var time = Duration.zero
        for _ in 0..<entries / batch {
          let batch = try subject.prepare(events.batch(of: batch))
          let start = ContinuousClock.now
          try await subject.append(batch)
          time += start.duration(to: .now)
        }
        return Measurement(count: entries, in: time)
      }
    }
  }
}
