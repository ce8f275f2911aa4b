#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a pass takes of memory above that of the store that is open, at its peak; in a process of its own.
struct PassMemory: Scenario {
  let name = "pass-memory"
  let unit = Unit.mebibytes
  let target: Target? = .atMost(96)
  let log: TypedLog

  var parameters: [String: Int] { log.parameters }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let filled = try await site.stores.store(of: log)
    return { _ in
      try await TypedLog.lendCopy(of: filled, in: site.directory) { directory in
        Measurement(rate: try WeighedPass.run(in: directory))
      }
    }
  }
}
