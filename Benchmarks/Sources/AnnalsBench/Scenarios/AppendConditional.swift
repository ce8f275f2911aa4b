import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Durable appends of one tagged event each on the condition that none with the tag came since the last, by
/// some tasks at a time, compared with appends of the same events without tag and condition.
struct AppendConditional: Scenario {
  let name = "append-conditional"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(0.8, of: plain)
  let tasks: Int
  /// How many events each task appends, one after the other.
  let perTask: Int

  private static let plain = "plain appends"
  private static let turns = 10

  var parameters: [String: Int] {
    ["tasks": tasks, "entries": tasks * perTask, "payload": SampleEvent.payloadBytes]
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let conditional = try EventLog(at: site.directory.appendingPathComponent("conditional.annals"))
    let plain = try EventLog(at: site.directory.appendingPathComponent("plain.annals"))
    return { [self] repetition in
      var times = (conditional: Duration.zero, plain: Duration.zero)
      // In short turns, because the pace of a disk changes within a second.
      for turn in 0..<Self.turns {
        if (repetition + turn).isMultiple(of: 2) {
          times.plain += try await time(of: plain, isConditional: false)
          times.conditional += try await time(of: conditional, isConditional: true)
        } else {
          times.conditional += try await time(of: conditional, isConditional: true)
          times.plain += try await time(of: plain, isConditional: false)
        }
      }
      var found = Measurement(count: tasks * perTask, in: times.conditional)
      found.ratios = [Self.plain: times.plain / times.conditional]
      return found
    }
  }

  private func time(of log: EventLog, isConditional: Bool) async throws -> Duration {
    let perTask = perTask / Self.turns
    var events = RoundRobin(streams: tasks)
    let payloads = try events.batch(of: tasks * perTask).map { try Payload(bytes: $0.payload) }
    let head = try log.read { (snapshot) throws(AnnalsError) in try snapshot.head() }
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        let own = payloads[task * perTask..<(task + 1) * perTask]
        group.addTask {
          let stream = StreamName(SampleEvent.name(ofStream: task))
          let tag = EventTag("task", task)
          var known = head
          for payload in own {
            var entry = NewEntry(type: "Sampled", version: SchemaVersion(1, 0, 0), payload: payload)
            if isConditional {
              entry.tags = [tag]
              let done = try await log.append(
                [entry], to: stream, unless: [LogQuery.Item(tags: [tag])], after: known)
              known = done.position
            } else {
              try await log.append([entry], to: stream)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    return start.duration(to: .now)
  }
}
