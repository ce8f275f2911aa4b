#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends of one event each, one after the other, each on disk before the next begins.
struct AppendSingle: Scenario {
  let name = "append-single"
  let unit = Unit.entriesPerSecond
  let streams: Int
  /// How many events are appended.
  let entries: Int

  var parameters: [String: Int] {
    ["streams": streams, "entries": entries, "payload": SampleEvent.payloadBytes]
  }

  func trial<S: Subject>(of subject: S.Type, in directory: URL) async throws -> Trial? {
    { [self] in
      try await Workplace.lend(inside: directory) { directory in
        let subject = try S(creatingIn: directory)
        var events = RoundRobin(streams: streams)
        var latencies: [Duration] = []
        for _ in 0..<entries {
          let batch = try subject.prepare(events.batch(of: 1))
          let start = ContinuousClock.now
          try await subject.append(batch)
          latencies.append(start.duration(to: .now))
        }
        return Measurement(count: entries, in: latencies.reduce(.zero, +), latencies: latencies)
      }
    }
  }
}
