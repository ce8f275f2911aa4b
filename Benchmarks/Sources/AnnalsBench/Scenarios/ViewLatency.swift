import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The time from the answer to an append until its row can be read.
///
/// Either this process folds the view, or another one does.
struct ViewLatency: Scenario {
  /// Whether another process folds.
  let isAcross: Bool
  let appends: Int

  let unit = Unit.milliseconds
  var name: String { isAcross ? "view-latency-across" : "view-latency" }
  var target: Target? { .atMost(isAcross ? 5 : 1) }
  var parameters: [String: Int] { ["appends": appends] }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let place = TypedLog.place(in: site.directory)
    let first = try EventStore(at: place, plan: Only<Stored>.self)
    let begun = try await first.append([.setLogged(TypedLog.event)], to: "first")
    return { [self] _ in
      let follower = isAcross ? try ChildProcess([ViewFollower.command, place.path]) : nil
      defer { try? follower?.kill() }
      // The first process to open the view folds it.
      if isAcross { try await Task.sleep(for: .seconds(1)) }
      let view = try first.view(StreamCounts.self)
      if let position = begun.positions.last { try await view.waitUntil(position, timeout: .seconds(60)) }
      var latencies: [Duration] = []
      for _ in 0..<appends {
        let done = try await first.append([.setLogged(TypedLog.event)], to: "first")
        let start = ContinuousClock.now
        guard let position = done.positions.last else { throw WrongWork(description: "nothing was appended") }
        try await view.waitUntil(position, timeout: .seconds(60))
        latencies.append(ContinuousClock.now - start)
      }
      let median = latencies.sorted()[latencies.count / 2]
      return Measurement(rate: median / .milliseconds(1), latencies: latencies)
    }
  }
}
