import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How long a rule's look-up in a keyed context takes: the difference of two scans, through the same rule
/// with and without one.
///
/// The store is opened again for each repetition, so that it fetches every chunk of the context once.
struct ContextLookup: Scenario {
  let unit = Unit.microseconds
  let log: TypedLog

  let name = "context-lookup"
  let target: Target? = .atMost(1)
  var parameters: [String: Int] { log.parameters.merging(["keys": Int(KeyedLookups.keys)]) { $1 } }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let place = site.directory.appendingPathComponent("copy")
    try FileManager.default.copyItem(at: try await site.stores.store(of: log), to: place)
    var options = StoreOptions()
    options.activating = true
    _ = try EventStore(at: TypedLog.place(in: place), plan: KeyedLookups.self, options: options)
    return { [self] _ in
      let clock = ContinuousClock()
      let plain = try EventStore(at: TypedLog.place(in: place), plan: NoLookups.self)
      let without = try clock.measure { try scan(plain) }
      let keyed = try EventStore(at: TypedLog.place(in: place), plan: KeyedLookups.self)
      let with = try clock.measure { try scan(keyed) }
      return Measurement(
        rate: (with - without) / .microseconds(1) / Double(log.entries),
        ratios: ["no look-up": with / without])
    }
  }

  private func scan<Plan: SchemaMigrationPlan>(_ store: EventStore<Plan>) throws {
    let count = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var count = 0
      while try entries.next() != nil { count += 1 }
      return count
    }
    guard count == log.entries else { throw WrongWork(description: "the scan saw \(count) events") }
  }
}
