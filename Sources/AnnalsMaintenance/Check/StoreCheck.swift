public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
public import AnnalsSchema
public import AnnalsStore

/// The result of checking a plan against a store's small tables: whether it opens the store, and what the
/// open would do.
///
/// ```swift
/// print(try WorkoutPlan.check(store: URL(filePath: "workouts.annals")))
/// ```
public struct StoreCheck: Sendable {
  /// The store's events of one record in one schema version, in one form.
  public struct Kind: Hashable, Sendable {
    /// The record's name.
    public let type: String
    /// The schema version; `nil` for events stored without one.
    public let version: SchemaVersion?
    /// The number of events.
    public let count: UInt64
    /// The number of its entries that are stubs, for which nothing is delivered.
    public let stubs: UInt64
    /// The number of its events that a migration pass has quarantined, counting each part of an entry.
    public let quarantined: UInt64
    /// The position of its first event.
    public let first: Position
    /// The newer versions of the stages that its events pass on the way to the current version, as far as the
    /// plan can say. Rules may end this way earlier.
    public let stages: [SchemaVersion]
    /// Whether its version is newer than the plan's, so that the plan reads it but cannot append.
    public let isNewer: Bool
    /// Whether it is stored by name and a migration pass would rewrite it, so that undeclared fields can be
    /// lost.
    public let isByName: Bool
    /// The newer version of the stage that retains it as it is stored; `nil` if none does.
    public let retainedBy: SchemaVersion?
    /// Why the plan cannot read it; `nil` if it can, or if nothing of it is delivered.
    public let problem: String?
  }

  /// A stage of the plan that events of the store pass.
  public struct Stage: Hashable, Sendable {
    /// The older version.
    public let from: SchemaVersion
    /// The newer version.
    public let to: SchemaVersion
    /// The number of stored events of versions older than the newer one.
    public let events: UInt64
    /// The number of stored events that can become records whose tags the stage computes again, in a
    /// migration pass.
    public let retagged: UInt64
    /// Whether the store lacks a context or fold of the stage, so that the stage has to be activated.
    public let isDue: Bool
    /// Whether the stage moves entries to other streams and no migration pass has done so yet.
    public let needsPass: Bool
    /// The scope of the stage beyond a single entry.
    public let scope: StageScope
    /// Whether the stage leads to a bridge.
    public let isBridge: Bool
    /// The phase of the newer version's roll-out.
    public let phase: RolloutPhase
  }

  /// The name of the plan.
  public let plan: String
  /// The version that the plan begins at.
  public let oldest: SchemaVersion
  /// The version that the plan ends at.
  public let current: SchemaVersion
  /// The kinds of the store, in the order in which they were first stored.
  public let kinds: [Kind]
  /// The stages that events of the store pass.
  public let stages: [Stage]
  /// The number of events without a version that have not been adopted yet.
  public let unadopted: UInt64
  /// The reason why the store refuses the plan, regardless of its events; `nil` if it does not.
  public let refusal: String?
  /// The fields that an adoption or a migration pass would lose because the plan does not declare them; `nil`
  /// if the log was not scanned for them.
  public internal(set) var undeclared: [UndeclaredField]?
  /// The newest version that the plan may begin at and still read this store; `nil` if it cannot read the
  /// store now.
  public let raisable: SchemaVersion?

  /// The kinds that the plan cannot read.
  public var unreadable: [Kind] { kinds.filter { $0.problem != nil } }
  /// Whether the store has to be opened once with activating before this plan reads it.
  public var needsActivation: Bool { unadopted > 0 || stages.contains(where: \.isDue) }
  /// Whether a migration pass has to be run before this plan reads the store.
  public var needsPass: Bool { stages.contains(where: \.needsPass) }
  /// Whether the plan opens the store as it is.
  public var opens: Bool { unreadable.isEmpty && !needsActivation && !needsPass && refusal == nil }
}

extension StoreCheck {
  /// What `plan` could do with what a snapshot has.
  init<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ compiled: CompiledPlan, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) {
    let census = try snapshot.reader.census()
    // What a pass has to do first is said of the stage, not of each kind.
    var presumed = compiled
    presumed.passesStreams = true
    let reach = PlanResolver(presumed, isAdopting: true)
    let byName = UndeclaredWatch(compiled, census, snapshot.kinds, .pass).kinds
    var kinds: [Kind] = []
    var counts: [SchemaVersion: UInt64] = [:]
    // Of events that a stage retains, and by which.
    var retained: [(version: SchemaVersion, stage: Int, count: UInt64)] = []
    let retagging = compiled.stages.indices.map { compiled.retaggedSteps(ofStage: $0) }
    var retagged = [UInt64](repeating: 0, count: compiled.stages.count)
    var (unadopted, isUnknown) = (UInt64(0), false)
    for kind in snapshot.kinds.kinds.values.sorted(by: { $0.number < $1.number }) {
      let row = census[kind.number, default: CensusRow()]
      let version = kind.version ?? snapshot.kinds.adopted ?? compiled.adopted
      let isDelivered = row.parts > 0 || row.quarantined > 0
      var (problem, isNewer) = (String?.none, false)
      let retaining = isDelivered ? compiled.retaining(kind, in: snapshot.kinds) : nil
      let retainedBy = retaining.map { compiled.schemas[$0 + 1].version }
      if isDelivered {
        do throws(MissingStep) {
          let entrance = try reach.entrance(of: kind, in: snapshot.kinds)
          isNewer = entrance.isNewer
          for index in retagging.indices where !isNewer && retagging[index].contains(entrance.step) {
            retagged[index] &+= row.parts
          }
        } catch {
          problem = error.description
        }
        // Sums wrap, because a damaged row of the census must not stop the process.
        if let version, let retaining {
          retained.append((version, retaining, row.parts &+ row.quarantined))
        } else if let version {
          counts[version, default: 0] &+= row.parts &+ row.quarantined
        } else {
          isUnknown = true
        }
        if kind.version == nil, snapshot.kinds.adopted == nil, compiled.adopted != nil {
          unadopted &+= row.parts
        }
      }
      kinds.append(
        Kind(
          type: kind.row.name, version: kind.version, count: row.parts, stubs: row.stubs,
          quarantined: row.quarantined, first: kind.row.first,
          stages: problem == nil && isDelivered
            ? compiled.schemas.dropFirst().map(\.version).filter { to in
              (version.map { $0 < to } ?? false) && (retainedBy.map { to <= $0 } ?? true)
            }
            : [],
          isNewer: isNewer, isByName: byName.contains(kind.number), retainedBy: retainedBy,
          problem: problem))
    }
    self.plan = String(describing: plan)
    let older = try OlderEvents(snapshot, compiled)
    var stages: [Stage] = []
    for (index, stage) in compiled.stages.enumerated() {
      let (from, to) = (compiled.schemas[index].version, compiled.schemas[index + 1].version)
      let delivered = counts.filter { $0.key < to }.values.reduce(0, &+)
      let passing = retained.filter { $0.version < to }
      let later = passing.filter { $0.stage > index }.reduce(delivered) { $0 &+ $1.count }
      let events = passing.filter { $0.stage == index }.reduce(later) { $0 &+ $1.count }
      guard events > 0 else { continue }
      var isDue = false
      if older.count(below: to) > 0 { isDue = try !snapshot.reader.suffices(for: stage, to: to) }
      stages.append(
        Stage(
          from: from, to: to, events: events, retagged: retagged[index], isDue: isDue,
          needsPass: stage.movesStreams && later > 0, scope: stage.scope,
          isBridge: compiled.schemas[index + 1].stability == .bridge,
          phase: RolloutPhase(snapshot.kinds.row(of: to)?.phase)))
    }
    self.kinds = kinds
    self.stages = stages
    self.unadopted = unadopted
    refusal = try compiled.refusal(by: snapshot)?.message
    oldest = compiled.schemas.first?.version ?? compiled.current.version
    current = compiled.current.version
    let isReadable = !isUnknown && kinds.allSatisfy { $0.problem == nil }
    let least = (counts.keys + retained.map(\.version)).min()
    raisable =
      isReadable
      ? compiled.schemas.map(\.version).last { version in least.map { version <= $0 } ?? true } : nil
  }
}
