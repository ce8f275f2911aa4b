import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How long writers wait for the switch at the end of a pass.
///
/// The latencies are the longest append across the switch in each repetition.
struct PassSwitch: Scenario {
  let unit = Unit.milliseconds
  let log: TypedLog

  let name = "pass-switch"
  let target: Target? = .atMost(50)
  var parameters: [String: Int] { log.parameters }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let filled = try await site.stores.store(of: log)
    return { [self] _ in
      try await TypedLog.lendCopy(of: filled, in: site.directory) { directory in
        let store = try EventStore(at: TypedLog.place(in: directory), plan: OneUpcast.self)
        let writer = WriterBeside(store: store, streams: log.streams)
        let (pass, calls) = try await writer.beside {
          let pass = try await WatchedPass(store.migrate())
          // The first appends to the new generation belong to it.
          try await Task.sleep(for: .milliseconds(100))
          return pass
        }
        let near = calls.filter { $0.end >= pass.switching ?? pass.span.upperBound }
        return Measurement(
          rate: pass.report.secondsLocked * 1000, latencies: near.map(\.time).max().map { [$0] } ?? [])
      }
    }
  }
}
