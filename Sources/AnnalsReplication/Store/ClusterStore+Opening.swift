internal import Annals
package import AnnalsCoding
package import AnnalsLog
package import AnnalsProjections
package import AnnalsSchema
internal import AnnalsStore
internal import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension ClusterStore {
  /// Opens the store of this machine as a member of a cluster, or creates it.
  ///
  /// The first machine of all begins the cluster's log. A new store is empty and follows the log from its
  /// beginning; a backup of another machine continues where that machine was. An existing store opens
  /// without the log's servers.
  ///
  /// - Parameters:
  ///   - url: The store's directory on this machine.
  ///   - plan: The schema versions and the stages between them.
  ///   - log: The log of the cluster.
  ///   - options: The options of the store. A new cluster takes its `idempotency` from them.
  ///   - cluster: The options of the membership.
  ///   - inline: The projections to fold in the transaction of each append. A new or raised one comes into
  ///     force with the next ``EventStore/activate(superseding:isRehearsal:)``.
  ///   - retiring: The versions of projections that the next activation replaces or removes, if they are in
  ///     force, and those that the messages before it need.
  /// - Throws: As ``EventStore/init(at:plan:options:inline:)``; `unavailable` if there is no store yet and
  ///   the log does not answer; `wrongUse` for a store with entries that is no member, and for a plan that a
  ///   cluster cannot have; `superseded` if a projection that is in force is missing; `busy` if another
  ///   program of this machine is a member with this store.
  package static func open(
    at url: URL, plan: Plan.Type, log shared: any ReplicatedLog, options: StoreOptions = StoreOptions(),
    cluster: ClusterOptions = ClusterOptions(), inline: [any InlineProjection<Plan.Current.Event>.Type] = [],
    retiring: [any InlineProjection<Plan.Current.Event>.Type] = []
  ) async throws(AnnalsError) -> ClusterStore {
    guard try !CompiledPlan(Plan.self).hasPersonalFields else {
      throw AnnalsError(
        .wrongUse,
        "\(Plan.self) has personal fields, and a cluster has none, because their keys are in a file of one machine: erase events instead, or encrypt the fields before the append"
      )
    }
    func named(_ list: [any InlineProjection<Plan.Current.Event>.Type]) -> [RuleVersion] {
      list.map { RuleVersion(name: $0.name, version: UInt64(clamping: $0.version)) }
    }
    let joining = Joining(shared, named(inline), known: named(inline + retiring), cluster)
    let (log, claim, options) = try await joining.run(at: url, options)
    let store = try member(at: url, options, inline, retiring)
    guard !store.reach.plan.stages.contains(where: \.movesStreams) else {
      throw AnnalsError(
        .wrongUse,
        "\(Plan.self) has a stage that moves entries to other streams, and a cluster cannot have one: each machine would move them at another position"
      )
    }
    // A condition would find other events on a machine that has run the pass.
    guard store.reach.plan.stages.allSatisfy(\.retags.isEmpty) else {
      throw AnnalsError(
        .wrongUse,
        "\(Plan.self) has a stage whose pass computes tags again, and a cluster cannot have one: each machine would change them at another position"
      )
    }
    let readable = ReadableRecords(store.reach)
    let applier = try Applier(log, claim, store.inlineRules, known: store.knownRules, readable)
    let membership = ClusterMember(shared, cluster)
    var typed = options
    typed.sequencer = membership
    let opened = try Self.member(at: url, typed, inline, retiring)
    membership.start(applier, cluster: log.id) { () throws(AnnalsError) in
      try ProgramLeases(log.core.generation.directory, mayRemove: true).living()
    }
    return ClusterStore(opened, Membership(membership))
  }

  /// Opens the store of a member with the plan.
  ///
  /// The inline projections with which the cluster began come into force in an empty store, as on every
  /// machine, and those that an erasure left incomplete are completed.
  private static func member(
    at url: URL, _ options: StoreOptions, _ inline: [any InlineProjection<Plan.Current.Event>.Type],
    _ retiring: [any InlineProjection<Plan.Current.Event>.Type]
  ) throws(AnnalsError) -> EventStore<Plan> {
    try ActivationWrite.fromCluster { () throws(AnnalsError) in
      let store = try EventStore(
        at: url, plan: Plan.self, options: options, inline: inline, retiring: retiring)
      try store.beginInline(store.log.memberState()?.rules ?? [])
      return store
    }
  }
}
