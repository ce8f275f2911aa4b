import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A pass that folds six neighbours of a stream into one event, compared with one with a rule per event.
///
/// The activation, which finds the ends of groups, is not timed.
struct PassFold: Scenario {
  let name = "pass-fold"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(0.6, of: rule)
  let log: TypedLog

  private static let rule = "rule"

  var parameters: [String: Int] { log.parameters }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let filled = try await site.stores.store(of: log)
    return { [self] repetition in
      // In turns, as subjects are.
      let isFirst = repetition.isMultiple(of: 2)
      var folded = isFirst ? try await pass(of: filled, in: site.directory, folding: true) : nil
      let ruled = try await pass(of: filled, in: site.directory, folding: false)
      if folded == nil { folded = try await pass(of: filled, in: site.directory, folding: true) }
      guard let folded else { throw WrongWork(description: "no pass was run") }
      var found = Measurement(count: log.entries, in: folded.whole)
      found.ratios = [Self.rule: ruled.whole / folded.whole, "rule, copy": ruled.copying / folded.copying]
      return found
    }
  }

  private func pass(of filled: URL, in directory: URL, folding: Bool) async throws -> WatchedPass {
    try await TypedLog.lendCopy(of: filled, in: directory) { directory in
      guard folding else { return try await WatchedPass(.rule, in: directory) }
      var options = StoreOptions()
      options.activating = true
      let store = try EventStore(at: TypedLog.place(in: directory), plan: SixFolded.self, options: options)
      let pass = try await WatchedPass(store.migrate())
      guard pass.report.folded > UInt64(log.entries) / 2 else {
        throw WrongWork(description: "\(pass.report.folded) entries were folded")
      }
      return pass
    }
  }
}
