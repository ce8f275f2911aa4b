package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema
internal import AnnalsStore

/// The passes that a plan needs before it reads a store: one for each of its stages that moves entries to
/// other streams, as long as the store has older ones.
///
/// Each leads to the version after its stage, so that rules of later stages see the streams that are.
package struct MovingPasses<Plan: SchemaMigrationPlan> {
  private let log: EventLog
  private let plan: CompiledPlan

  /// - Parameter plan: `Plan`, compiled without contexts.
  package init(_ log: EventLog, _ plan: CompiledPlan) {
    self.log = log
    self.plan = plan
  }

  /// The oldest stage that is due, as its number; `nil` if none is.
  ///
  /// - Parameter version: The version after which stages do not count.
  package func due(upTo version: SchemaVersion) throws(AnnalsError) -> Int? {
    guard plan.stages.contains(where: \.movesStreams) else { return nil }
    return try log.read { (snapshot) throws(AnnalsError) -> Int? in
      let (kinds, adopted) = (snapshot.kinds, snapshot.kinds.adopted ?? plan.adopted)
      var stored: [(version: SchemaVersion, row: CensusRow, retainedBy: Int)] = []
      for (number, row) in try snapshot.reader.census() where row.parts > 0 || row.quarantined > 0 {
        guard let kind = kinds.kinds[number], let found = kind.version ?? adopted else { continue }
        stored.append((found, row, plan.retaining(kind, in: kinds) ?? .max))
      }
      guard let oldest = stored.map(\.version).min() else { return nil }
      return plan.movingStages(after: oldest).first { index in
        let newer = plan.schemas[index + 1].version
        // Of a stage that works something out as well, the version is active before its pass. What a pass has
        // set aside stays.
        return newer <= version
          && stored.contains {
            // What this stage or one before it retains stays in its version.
            $0.version < newer && $0.retainedBy > index && ($0.row.parts > 0 || !kinds.isActive(newer))
          }
      }
    }
  }

  /// The next pass; `nil` if none is due.
  ///
  /// - Parameters:
  ///   - version: The version after which stages do not count.
  ///   - activating: Whether what the stages up to there need of the whole log is computed and kept first.
  /// - Throws: ``AnnalsError``: what an open throws for a store that the plan could not read afterwards
  ///   either, `requiresActivation`.
  package func next(upTo version: SchemaVersion, activating: Bool) throws(AnnalsError) -> PassWork? {
    guard let index = try due(upTo: version) else { return nil }
    // Nothing is changed for a plan that could not read the store afterwards.
    var whole = plan
    whole.passesStreams = true
    let presumed = PlanResolver(whole, isAdopting: true)
    let newer = try log.read { (snapshot) throws(AnnalsError) in
      try presumed.prove(snapshot.reader.census(), snapshot.kinds)
    }
    if !newer.isEmpty { return nil }
    let chain = try Plan.chains()[index + 1]
    let activation = Activation(
      log, try chain.cut(StageContexts(keys: log.options.keys), adopted: plan.adopted),
      Quarantine(log.options.unreadable))
    if activating { try activation.run() }
    let contexts = try activation.contexts()
    try activation.mustBeDone(contexts)
    guard let streams = plan.works[index].streams else { return nil }
    return PassWork(
      moving: try chain.cut(contexts, adopted: plan.adopted), contexts,
      StreamMove(try streams(contexts), adopted: plan.adopted))
  }
}
