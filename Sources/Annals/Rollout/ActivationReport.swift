public import AnnalsCoding
internal import AnnalsSchema

/// How far the roll-out of a schema version is.
public enum RolloutPhase: String, Hashable, Sendable {
  /// The store has nothing of it yet.
  case absent
  /// It was stored by programs that know of no roll-out, or need none.
  case present
  /// It is a bridge, and programs of the version before read and append beside it.
  case expanding
  /// It is what is stored, and programs of older versions append nothing any more.
  case active
  /// Nothing older is left, and programs of older versions do not read the store any more.
  case contracted

  init(_ phase: SchemaRow.Phase?) {
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

/// What an activation has done, or would do.
public struct ActivationReport: Hashable, Sendable {
  /// The plan's current version.
  public let version: SchemaVersion
  /// How far it was, also where the open of this store has activated it.
  public let phase: RolloutPhase
  /// How many events of older versions there are; they stay, and are upcast as they are read. Those that the
  /// plan retains as they are stored are not among them.
  public let olderEvents: UInt64
  /// The programs that end below the version and have the store open: they append nothing any more afterwards.
  public let olderPrograms: [LiveProgram]
  /// Whether the version became active, by this call or by the open of this store; `false` for a rehearsal, and where it was active already, perhaps because another
  /// process was faster.
  public let isActivated: Bool
}

extension EventStore {
  /// Makes the plan's current version the one that is stored: from here on no program of an older version appends.
  ///
  /// What stages work out from the whole log is worked out first where it is missing, as by an open with ``StoreOptions/activating``. Programs of older versions go on
  /// reading what they can, until ``contract(_:)``.
  ///
  /// - Parameters:
  ///   - superseding: Whether programs of older versions that have the store open now are left behind.
  ///   - isRehearsal: Whether nothing is done but the report.
  /// - Returns: What was found and done.
  /// - Throws: ``AnnalsError`` with code `busy` where such programs have the store open, unless they are superseded; `held`, `readOnly`, `ruleFailed`, `tooLarge`,
  ///   `shapeChanged`, and as an append. Nothing is changed then.
  /// - Complexity: O(schema versions and record types), and O(log) where a stage works something out.
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
    let activation = Activation(log, try CompiledPlan(Plan.self), reach.quarantine)
    let isKept = try activation.run {
      () throws(AnnalsError) in
      // It may have taken long to work it out.
      let programs = try superseding ? [] : log.programs().filter { $0.isBelow(plan.version) }
      guard programs.isEmpty else { throw AnnalsError(.needed(programs), plan) }
    }
    let isActivated = try Rollout(log: log, plan: plan).activate(superseding: superseding)
    if isDone, let activatedFrom { return report(true, from: activatedFrom) }
    return report(isActivated || (isKept && !isDone))
  }
}
