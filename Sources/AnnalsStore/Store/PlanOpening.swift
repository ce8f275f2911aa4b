package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema
internal import AnnalsShapes

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The steps that bring a plan and a log together, for the one place that opens a store.
///
/// They are taken in the order of their declarations. None of them completes a switch or a rollback that was
/// interrupted: the opener does that after all checks have passed.
package struct PlanOpening<Plan: SchemaMigrationPlan> {
  package let log: EventLog
  /// The plan, compiled without contexts.
  package let plan: CompiledPlan
  private let options: StoreOptions
  private let lease: ProgramLease?
  private let quarantine: Quarantine?
  private let activation: Activation
  private let phase: SchemaRow.Phase?

  /// Opens the log and takes the program's lease.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan` or `superseded`, or as ``EventLog/init(at:options:)``.
  package init(at url: URL, _ options: StoreOptions) throws(AnnalsError) {
    let plan = try CompiledPlan(Plan.self, StageContexts(keys: options.keys))
    if options.keys == nil, plan.hasPersonalFields {
      throw AnnalsError.noKeys("\(Plan.self) has personal fields")
    }
    let log = try EventLog(unsettled: url, options: options)
    // A plan without personal fields may read events of a newer one that has some.
    if options.keys != nil { try log.attachKeys(for: "\(Plan.self)") }
    // The lease comes before any look at the store: a program that appends after that look knows of this
    // program.
    lease = try ProgramLease.take(plan.current.version, options, in: log.core.generation.directory)
    try plan.mustNotBeDowngraded(log)
    quarantine = Quarantine(options.unreadable, options.observer)
    activation = Activation(log, plan, quarantine)
    phase = try log.read { (snapshot) in snapshot.kinds.row(of: plan.current.version)?.phase }
    self.log = log
    self.plan = plan
    self.options = options
  }

  /// Activates the plan, if the options ask for it.
  ///
  /// - Returns: Whether it is activated. A bridge is not while older programs have the store open.
  package func activate() throws(AnnalsError) -> Bool {
    guard options.activating else { return false }
    // Nothing is changed for a plan that could not read the store afterwards.
    let presumed = PlanResolver(plan, skipping: SkippedEvents(options.newerTypes), isAdopting: true)
    _ = try log.read { (snapshot) throws(AnnalsError) in
      try presumed.prove(snapshot.reader.census(), snapshot.kinds)
    }
    try activation.run()
    let rollout = Rollout(log: log, plan: presumed.rollout)
    guard rollout.plan.stability == .bridge, options.access == .readWrite else { return true }
    return try rollout.activateIfFree()
  }

  /// Proves that every stored event has a path to the plan's current version.
  ///
  /// - Returns: The store, and whether it has events of versions above the plan's.
  package func prove() throws(AnnalsError) -> (store: EventStore<Plan>, hasNewer: Bool) {
    let contexts = try activation.contexts()
    let reach = PlanResolver(
      contexts.isEmpty ? plan : try CompiledPlan(Plan.self, contexts), quarantine,
      skipping: SkippedEvents(options.newerTypes), lease: lease, observer: options.observer)
    let after = try log.read { (snapshot) in snapshot.kinds.row(of: plan.current.version)?.phase }
    let (newer, bridges) = try log.read { (snapshot) throws(AnnalsError) in
      try reach.mustNotBeContracted(snapshot.kinds)
      let newer = try reach.prove(snapshot.reader.census(), snapshot.kinds)
      return (newer, newer.filter { snapshot.kinds.row(of: $0)?.stability == .bridge })
    }
    try activation.mustBeDone(contexts)
    let isActivated = options.activating && phase != after && after == .active
    // The phase of a bridge decides what may be appended alongside it.
    let beginning = StreamMoveGuard(ifNeededBy: reach.plan, log)
    let store = EventStore<Plan>(
      log, reach, contexts, beginning: beginning, newer: newer.subtracting(bridges).max(),
      activatedFrom: isActivated ? RolloutPhase(phase) : nil,
      rules: EventStore<Plan>.rules(reach, beginning))
    return (store, !newer.isEmpty)
  }
}
