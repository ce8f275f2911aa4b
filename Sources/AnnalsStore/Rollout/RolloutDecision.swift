internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

/// Decides the form of stored events, and when a version may be activated or contracted. It is a pure
/// function of the plan, the store's rows of `schemas` and the programs that have the store open.
struct RolloutDecision {
  let plan: RolloutPlan
  /// The rows of `schemas` by version.
  let rows: [SchemaVersion: SchemaRow]

  init(_ plan: RolloutPlan, _ rows: [SchemaVersion: SchemaRow]) {
    self.plan = plan
    self.rows = rows
  }

  init(_ plan: RolloutPlan, _ kinds: KindRegistry) {
    var rows: [SchemaVersion: SchemaRow] = [:]
    for row in kinds.schemas.values { if let version = row.version { rows[version] = row } }
    self.init(plan, rows)
  }

  /// The decision on an append.
  struct Verdict: Equatable {
    /// The form in which its events are stored.
    var form: EventForm
    /// Phases that begin with it.
    var changes: [SchemaVersion: SchemaRow.Phase] = [:]
  }

  /// The reason for refusing an append or an activation.
  enum Refusal: Error, Equatable {
    /// A bridge below is still needed by programs, and must be activated first.
    case bridgeBelow(SchemaVersion, [LiveProgram])
    /// The version is being rolled out as a bridge, and this plan does not declare it as one.
    case noBridge
    /// Programs that do not know a type have the store open.
    case later([LiveProgram])
    /// Programs of older versions have the store open.
    case needed([LiveProgram])
  }

  /// The phase of the version.
  private var phase: SchemaRow.Phase? { rows[plan.version]?.phase }

  /// Bridges below the version that are not active, the newest first.
  private var bridgesBelow: [SchemaVersion] {
    let expanding = rows.values.filter { $0.phase == .expanding }.compactMap(\.version)
    return Set(expanding + plan.bridges).filter { version in
      version < plan.version && !isBehind(version)
    }.sorted(by: >)
  }

  /// Whether events below `version` are no longer appended.
  private func isBehind(_ version: SchemaVersion) -> Bool {
    rows.values.contains { row in
      guard row.phase == .active || row.phase == .contracted, let active = row.version else { return false }
      return active >= version
    }
  }

  /// The form in which events are likely to be stored, without checking other programs.
  var likelyForm: EventForm { plan.needsLowering && phase == .expanding ? .shared : .newest }

  /// Decides an append.
  ///
  /// - Parameters:
  ///   - hasLater: Whether an event of it is of a type that the previous version cannot represent.
  ///   - programs: The programs that have the store open; read only if the answer depends on them.
  func append<Failure: Error>(
    hasLater: Bool = false, _ programs: () throws(Failure) -> [LiveProgram]
  ) throws(Failure) -> Result<Verdict, Refusal> {
    switch phase {
    case .active, .contracted: return .success(Verdict(form: .newest))
    case .expanding:
      guard plan.stability == .bridge else { return .failure(.noBridge) }
      if hasLater, let refusal = Self.later(older(try programs())) { return .failure(refusal) }
      return .success(Verdict(form: .shared))
    case nil where bridgesBelow.isEmpty && plan.stability != .bridge,
      .present where bridgesBelow.isEmpty && plan.stability != .bridge:
      return .success(Verdict(form: .newest))
    case nil, .present: return begin(hasLater: hasLater, try programs())
    }
  }

  /// Decides the first append of the version.
  private func begin(hasLater: Bool, _ programs: [LiveProgram]) -> Result<Verdict, Refusal> {
    var verdict = Verdict(form: .newest)
    for bridge in bridgesBelow {
      let needing = programs.filter { $0.isBelow(bridge) }
      guard needing.isEmpty else { return .failure(.bridgeBelow(bridge, needing)) }
      // Also one that the store never had, so that the check is not repeated.
      verdict.changes[bridge] = .active
    }
    // A version that was stored before it was declared a bridge begins to be one here.
    guard plan.stability == .bridge else { return .success(verdict) }
    let older = older(programs)
    if plan.needsLowering, older.isEmpty {
      verdict.changes[plan.version] = .active
      return .success(verdict)
    }
    verdict.changes[plan.version] = .expanding
    verdict.form = .shared
    if hasLater, let refusal = Self.later(older) { return .failure(refusal) }
    return .success(verdict)
  }

  /// Whether only the version and later ones are appended.
  var isActive: Bool { phase == .active || phase == .contracted }

  /// The form of a call for a log that several machines share: the older one, until the log activates the
  /// version. No phase begins with an event.
  var sharedForm: EventForm { plan.needsLowering && !isActive ? .shared : .newest }

  /// Decides a call for a log that several machines share.
  ///
  /// - Parameters:
  ///   - hasLater: Whether an event of it is of a type that the previous version cannot represent.
  ///   - programs: The programs that have the store open on any machine; read only if the answer depends on
  ///     them.
  /// - Returns: The bridges below the version that the log activates before it.
  func sharedAppend<Failure: Error>(
    hasLater: Bool, _ programs: () throws(Failure) -> [LiveProgram]
  ) throws(Failure) -> Result<[SchemaVersion], Refusal> {
    if isActive { return .success([]) }
    let bridges = bridgesBelow
    let needsPrograms = !bridges.isEmpty || hasLater && plan.stability == .bridge
    guard needsPrograms else { return .success([]) }
    let programs = try programs()
    for bridge in bridges {
      let needing = programs.filter { $0.isBelow(bridge) }
      guard needing.isEmpty else { return .failure(.bridgeBelow(bridge, needing)) }
    }
    if hasLater, plan.stability == .bridge, let refusal = Self.later(older(programs)) {
      return .failure(refusal)
    }
    return .success(bridges)
  }

  /// Decides a contraction that the log of a cluster brings: the version must be active, so that no event of
  /// an older one came after the caller's look at the store.
  ///
  /// - Returns: The phases that begin with it; `nil` if the version is not active.
  var sharedContraction: [SchemaVersion: SchemaRow.Phase]? {
    guard isActive else { return nil }
    return phase == .contracted ? [:] : contraction
  }

  private func older(_ programs: [LiveProgram]) -> [LiveProgram] {
    programs.filter { $0.isBelow(plan.version) }
  }

  private static func later(_ older: [LiveProgram]) -> Refusal? {
    let failing = older.filter { !$0.skipsNewerTypes }
    return failing.isEmpty ? nil : .later(failing)
  }

  /// Decides an activation of the version.
  ///
  /// - Parameters:
  ///   - programs: The programs that have the store open.
  ///   - superseding: Whether to activate although older ones have it open.
  /// - Returns: The phases that begin with it; none if it is active already.
  func activation(
    alongside programs: [LiveProgram], superseding: Bool
  ) -> Result<[SchemaVersion: SchemaRow.Phase], Refusal> {
    if phase == .active || phase == .contracted { return .success([:]) }
    let older = older(programs)
    guard superseding || older.isEmpty else { return .failure(.needed(older)) }
    var changes: [SchemaVersion: SchemaRow.Phase] = [plan.version: .active]
    for (version, row) in rows where row.phase == .expanding && version < plan.version {
      changes[version] = .active
    }
    return .success(changes)
  }

  /// The versions that end with a contraction to this one, which is active: itself and all below.
  var contraction: [SchemaVersion: SchemaRow.Phase] {
    var changes: [SchemaVersion: SchemaRow.Phase] = [:]
    for (version, row) in rows where version <= plan.version && row.phase != .contracted {
      changes[version] = .contracted
    }
    return changes
  }
}

extension AnnalsError {
  /// The error for an append or an activation that the roll-out refuses.
  init(
    _ refusal: RolloutDecision.Refusal, _ plan: RolloutPlan, type: ExactText? = nil, stream: StreamName? = nil
  ) {
    let details = Details {
      $0.version = plan.version
      $0.type = type?.text
      $0.stream = stream
    }
    switch refusal {
    case .bridgeBelow(let bridge, let programs):
      self.init(
        .busy,
        "version \(plan.version) of the schema is not written before the bridge \(bridge) is active, which these programs still need: \(programs.list); end them, or run 'activate' with a program whose plan ends at \(bridge)",
        details: details)
    case .noBridge:
      self.init(
        .wrongUse,
        "version \(plan.version) of the schema is being rolled out as a bridge, and the plan has no stage to it, or says that it is none: give it back both, or activate the version first with a program that has them",
        details: details)
    case .later(let programs):
      self.init(
        .unrepresentable,
        "\(stream.map { "stream '\($0)': " } ?? "")a '\(type?.text ?? "")' of version \(plan.version) has no place in the version before, and these programs would stop at it: \(programs.list); end them or let them pass over newer types, or run 'activate'; nothing was written",
        details: details)
    case .needed(let programs):
      self.init(
        .busy,
        "version \(plan.version) is not activated while older programs have the store open: \(programs.list); end them, or say that they are superseded; nothing was changed",
        details: details)
    }
  }
}
