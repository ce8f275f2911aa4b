public import AnnalsCoding
package import AnnalsFormat
public import AnnalsLog
internal import AnnalsSchema

/// The phase of a schema version's roll-out.
public enum RolloutPhase: String, Hashable, Sendable {
  /// The store has no event of the version yet.
  case absent
  /// Its events were stored by programs without a roll-out, or by ones that need none.
  case present
  /// The version is a bridge, and programs of the previous version read and append alongside it.
  case expanding
  /// Events are stored in the version, and programs of older versions can no longer append.
  case active
  /// Nothing older is left, and programs of older versions can no longer read the store.
  case contracted

  package init(_ phase: SchemaRow.Phase?) {
    self =
      switch phase {
      case nil: .absent
      case .present: .present
      case .expanding: .expanding
      case .active: .active
      case .contracted: .contracted
      }
  }
}

/// The result of an activation, or of its rehearsal.
public struct ActivationReport: Hashable, Sendable {
  /// The plan's current version.
  public let version: SchemaVersion
  /// The version's phase before the activation, even if the open of this store has activated it.
  public let phase: RolloutPhase
  /// The number of events of older versions. They stay, and are upcast as they are read. Retained events are
  /// not included.
  public let olderEvents: UInt64
  /// The programs of older versions that have the store open. After the activation they can no longer append.
  public let olderPrograms: [LiveProgram]
  /// Whether this call or the open of this store made the version active. It is `false` for a rehearsal, or
  /// if the version was already active, perhaps because another process was faster.
  public let isActivated: Bool
}

extension EventStore {
  /// Activates the plan's current version, after which no program of an older version can append.
  ///
  /// Missing contexts and folds are computed first, as in an open with ``StoreOptions/activating``. Then the
  /// inline projections that the store was opened with come into force, folded from the whole log. Programs
  /// of older versions can still read events that they understand, until ``contract(_:)``.
  ///
  /// On a member of a cluster, the activation is a message in the cluster's log, and the programs are those
  /// of all machines that it has heard from recently. On each machine, inline projections come into force at
  /// the place of the message, folded up to there. A machine whose program lacks one of them stops before the
  /// message.
  ///
  /// - Parameters:
  ///   - superseding: Whether to activate although programs of older versions have the store open now.
  ///   - isRehearsal: Whether to only report, without changing anything.
  /// - Returns: The state and the changes.
  /// - Throws: ``AnnalsError`` with code `busy` if such programs have the store open, unless they are
  ///   superseded; `wrongUse` on a member of a cluster for a plan with contexts, folds or an adoption;
  ///   `appendsSuspended`, `readOnly`, `ruleFailed`, `tooLarge`, `shapeChanged`, and the codes of an append;
  ///   `rejected` with the position of a stored event that an inline projection refuses. In that case no
  ///   inline projection comes into force, and the version is active only if contexts or folds were computed.
  /// - Complexity: O(schema versions and record types), and O(log) if a stage computes a context or fold, or
  ///   an inline projection comes into force.
  public func activate(
    superseding: Bool = false, isRehearsal: Bool = false
  ) throws(AnnalsError) -> ActivationReport {
    let plan = reach.rollout
    let (phase, older) = try log.read { (snapshot) throws(AnnalsError) in
      (
        snapshot.kinds.row(of: plan.version)?.phase,
        try OlderEvents(snapshot, reach.plan).count(below: plan.version)
      )
    }
    try log.options.sequencer?.listenForPrograms()
    let programs = try log.programs().filter { $0.isBelow(plan.version) }
    func report(_ isActivated: Bool, from found: RolloutPhase? = nil) -> ActivationReport {
      ActivationReport(
        version: plan.version, phase: found ?? RolloutPhase(phase), olderEvents: older,
        olderPrograms: programs, isActivated: isActivated)
    }
    let isDone = phase == .active || phase == .contracted
    if isRehearsal { return report(false) }
    guard log.options.access == .readWrite else {
      throw AnnalsError(
        .readOnly, "the store was opened for reading only; open it with access .readWrite to activate")
    }
    guard isDone || superseding || programs.isEmpty else { throw AnnalsError(.needed(programs), plan) }
    let compiled = try CompiledPlan(Plan.self, StageContexts(keys: log.options.keys))
    let activation = Activation(log, compiled, reach.quarantine)
    if let shared = SharedRollout(log, plan) {
      try activation.mustNotBeNeeded()
      return report(try activateShared(shared) && !isDone)
    }
    // The computation may take long, and programs may open the store meanwhile.
    func mustBeFree() throws(AnnalsError) {
      let programs = try superseding ? [] : log.programs().filter { $0.isBelow(plan.version) }
      guard programs.isEmpty else { throw AnnalsError(.needed(programs), plan) }
    }
    let isKept = try activation.run(mustBeFree)
    for rule in rules {
      try rule.begin(log, isActivating: true) { () throws(AnnalsError) in if !isDone { try mustBeFree() } }
    }
    let isActivated = try Rollout(log: log, plan: plan).activate(superseding: superseding)
    if isDone, let activatedFrom { return report(true, from: activatedFrom) }
    return report(isActivated || (isKept && !isDone))
  }
}
