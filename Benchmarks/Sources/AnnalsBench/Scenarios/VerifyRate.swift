import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `verify` of a closed store whose pages are in memory.
struct VerifyRate: Scenario {
  let name = "verify-rate"
  let unit = Unit.entriesPerSecond
  let filling: Filling

  var parameters: [String: Int] { filling.parameters }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let store = AnnalsSubject.place(in: try await site.stores.store(of: AnnalsSubject.self, filling))
    return { [filling] _ in
      let start = ContinuousClock.now
      let report = try EventLog.verify(store)
      let time = start.duration(to: .now)
      guard report.isClean, report.entries == UInt64(filling.entries) else {
        throw WrongWork(description: "'verify' found \(report)")
      }
      return Measurement(count: filling.entries, in: time)
    }
  }
}
