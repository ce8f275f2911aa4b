#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Durable appends of one event each by many tasks at a time, compared with those of one task.
struct AppendConcurrent: Scenario {
  let name = "append-concurrent"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(30, of: one)
  let tasks: Int
  let streams: Int
  /// How many events each of the tasks appends, one after the other.
  let perTask: Int
  /// How many the one task appends that they are compared with.
  let alone: Int

  private static let one = "1 task"

  var parameters: [String: Int] {
    [
      "tasks": tasks, "streams": streams, "entries": tasks * perTask, "payload": SampleEvent.payloadBytes,
    ]
  }

  /// Where appends do not wait together, tasks would only queue.
  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard let subject = subject as? any GroupCommitter.Type else { return nil }
    return trial(committing: subject, at: site)
  }

  private func trial<S: GroupCommitter>(committing subject: S.Type, at site: Site) -> Trial {
    { [self] repetition in
      var many: Measurement
      let few: Measurement
      if repetition.isMultiple(of: 2) {
        many = try await append(subject, tasks: tasks, each: perTask, at: site)
        few = try await append(subject, tasks: 1, each: alone, at: site)
      } else {
        few = try await append(subject, tasks: 1, each: alone, at: site)
        many = try await append(subject, tasks: tasks, each: perTask, at: site)
      }
      many.ratios = [Self.one: many.rate / few.rate]
      return many
    }
  }

  private func append<S: GroupCommitter>(
    _: S.Type, tasks: Int, each: Int, at site: Site
  ) async throws -> Measurement {
    try await Workplace.lend(inside: site.directory) { directory in
      let subject = try S(creatingIn: directory)
      var events = RoundRobin(streams: streams)
      let work = try (0..<tasks).map { _ in
        try (0..<each).map { _ in try S.prepare(events.batch(of: 1)) }
      }
      let start = ContinuousClock.now
      let latencies = try await withThrowingTaskGroup(of: [Duration].self) { group in
        for batches in work {
          group.addTask {
            var flow = Flow()
            for batch in batches { try await flow.append(batch, of: 1, to: subject) }
            return flow.measurement.latencies
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      return Measurement(count: tasks * each, in: start.duration(to: .now), latencies: latencies)
    }
  }
}
