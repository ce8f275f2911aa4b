import Annals
import AnnalsLog
import AnnalsStore
import Foundation
import Testing

@testable import AnnalsProjections
@testable import AnnalsReplication

/// What a store is after some messages, and the verdicts on their calls.
struct AppliedMessages: Equatable {
  var verdicts: [String] = []
  var entries: [String] = []
  var rows: [String] = []
  var hash = ""

  /// Applies messages to a new store, in slices of the sizes that `size` draws.
  ///
  /// - Parameter inspect: Looks at the store in the end.
  init<Plan: SchemaMigrationPlan>(
    _ messages: [ReplicatedMessage], to url: URL, over log: any ReplicatedLog, plan: Plan.Type,
    inline: [any InlineProjection<Plan.Current.Event>.Type], _ size: () -> Int,
    inspect: (EventStore<Plan>) throws -> Void = { _ in }
  ) async throws {
    let rules = inline.map { RuleVersion(name: $0.name, version: UInt64($0.version)) }
    let joining = Joining(log, rules, known: rules, ClusterOptions())
    let (events, claim, options) = try await joining.run(at: url, Machine.options())
    let store = try ActivationWrite.fromCluster { () throws(AnnalsError) in
      let store = try EventStore(at: url, plan: plan, options: options, inline: inline)
      try store.beginInline(rules)
      return store
    }
    let applier = try Applier(events, claim, store.inlineRules, ReadableRecords(store.reach))
    var rest = messages[...]
    while !rest.isEmpty {
      let applied = try applier.apply(rest.prefix(size())) { _ in false }
      #expect(applied.stop == nil)
      verdicts += applied.verdicts.map { "\($0.id): \($0.verdict)" }
      rest = rest.dropFirst(applied.count)
    }
    entries = try events.lines()
    hash = applier.state.state.chain.description
    try events.read { (snapshot) throws(AnnalsError) in
      for (name, value) in try snapshot.reader.clusterRows() { rows.append("\(name) \(value)") }
    }
    try inspect(store)
  }
}
