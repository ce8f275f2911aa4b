import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends of a bridge while a program of the previous version has the store open.
///
/// They are compared with the same appends of a version without a roll-out.
struct Rollout: Scenario {
  let name = "rollout"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(0.97, of: alone)
  let batch: Int
  let streams: Int
  /// How many events a repetition appends to each store, a multiple of `batch`.
  let entries: Int

  private static let alone = "alone"

  var parameters: [String: Int] {
    ["batch": batch, "streams": streams, "entries": entries, "payload": TypedLog.payloadBytes]
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    // What a flush takes has nothing to do with it.
    var options = StoreOptions()
    options.durability = .relaxed
    let (here, there) = (
      site.directory.appendingPathComponent("alone.annals"),
      site.directory.appendingPathComponent("beside.annals")
    )
    let alone = try EventStore(at: here, plan: ReleasedPlan.self, options: options)
    let older = try EventStore(at: there, plan: Only<Stored>.self, options: options)
    let beside = try EventStore(at: there, plan: BridgePlan.self, options: options)
    return { [self] repetition in
      // In turns, as subjects are.
      let times: (alone: Duration, beside: Duration)
      if repetition.isMultiple(of: 2) {
        let first = try await time(of: alone, .setLogged(TypedLog.event))
        times = (first, try await time(of: beside, .setLogged(TypedLog.event)))
      } else {
        let first = try await time(of: beside, .setLogged(TypedLog.event))
        times = (try await time(of: alone, .setLogged(TypedLog.event)), first)
      }
      guard try older.log.programs().count == 2 else {
        throw WrongWork(description: "the older program has no lease")
      }
      var found = Measurement(count: entries, in: times.beside)
      found.ratios = [Self.alone: times.alone / times.beside]
      return found
    }
  }

  private func time<Plan: SchemaMigrationPlan>(
    of store: EventStore<Plan>, _ event: Plan.Current.Event
  ) async throws -> Duration {
    let start = ContinuousClock.now
    for first in stride(from: 0, to: entries, by: batch) {
      try await store.append { call in
        for index in first..<first + batch {
          call.append([event], to: StreamName(SampleEvent.name(ofStream: index % streams)))
        }
      }
    }
    return start.duration(to: .now)
  }
}
