import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decisions on one stream by several tasks of one process, each of one durable event, compared with one task
/// that appends to the stream one event after the other.
struct DecideConcurrent: Scenario {
  let name = "decide-concurrent"
  let unit = Unit.entriesPerSecond
  /// One task has nobody to take turns with, so its row has no target.
  var target: Target? { tasks > 1 ? .part(0.7, of: Self.appends) : nil }
  let tasks: Int
  /// How many decisions each task makes, one after the other. No decision may need a sixth attempt.
  let perTask: Int

  private static let appends = "appends of 1 task"

  var parameters: [String: Int] {
    ["tasks": tasks, "entries": tasks * perTask, "payload": TypedLog.payloadBytes]
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    return { [self] repetition in
      var many: Measurement
      let few: Measurement
      if repetition.isMultiple(of: 2) {
        many = try await decide(at: site)
        few = try await append(at: site)
      } else {
        few = try await append(at: site)
        many = try await decide(at: site)
      }
      many.ratios = [Self.appends: many.rate / few.rate]
      return many
    }
  }

  private func decide(at site: Site) async throws -> Measurement {
    try await Workplace.lend(inside: site.directory) { directory in
      let store = try EventStore(at: TypedLog.place(in: directory), plan: Only<Stored>.self)
      let start = ContinuousClock.now
      let latencies = try await withThrowingTaskGroup(of: [Duration].self) { group in
        for _ in 0..<tasks {
          group.addTask {
            var latencies: [Duration] = []
            for _ in 0..<perTask {
              let start = ContinuousClock.now
              try await store.decide(Sets.self, on: "sets", attempts: 5) { _ in
                [.setLogged(TypedLog.event)]
              }
              latencies.append(start.duration(to: .now))
            }
            return latencies
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      let taken = start.duration(to: .now)
      let entries = tasks * perTask
      let reps = try store.load(Sets.self, from: "sets").state.reps
      guard reps == entries * TypedLog.event.reps else {
        throw WrongWork(description: "the stream has \(reps) repetitions")
      }
      return Measurement(count: entries, in: taken, latencies: latencies)
    }
  }

  private func append(at site: Site) async throws -> Measurement {
    try await Workplace.lend(inside: site.directory) { directory in
      let store = try EventStore(at: TypedLog.place(in: directory), plan: Only<Stored>.self)
      let start = ContinuousClock.now
      for _ in 0..<tasks * perTask { try await store.append([.setLogged(TypedLog.event)], to: "sets") }
      return Measurement(count: tasks * perTask, in: start.duration(to: .now))
    }
  }
}
