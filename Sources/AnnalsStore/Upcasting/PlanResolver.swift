package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema
package import AnnalsShapes
import Synchronization

/// The places where the kinds of a store enter a plan, computed once for each set of kinds.
package final class PlanResolver: Sendable {
  package let plan: CompiledPlan
  /// Reports entries that cannot be read; `nil` if readers stop at them.
  package let quarantine: Quarantine?
  /// Receives values about reads; `nil` if nothing observes them.
  let observer: (any StoreObserver)?
  private struct Known {
    var generation: UInt64?
    var count = 0
    var epoch: UInt64?
    var table: [CompiledPlan.Entrance?] = []
  }
  private let known = Mutex(Known())

  /// The same plan for conditions, once one has needed it.
  private let strictResolver = Mutex<PlanResolver?>(nil)

  /// The mark of each type of aggregate state. It hashes the text of the whole plan.
  private let stateMarks = Mutex<[ObjectIdentifier: [UInt8]]>([:])

  /// For each version that a stage with a fold leads to, the plan up to the version before.
  private let beforeFolds: [SchemaVersion: PlanResolver]

  /// Whether events without a version are read before an adoption.
  private let isAdopting: Bool
  /// Counts skipped events of newer types; `nil` if readers stop at them.
  package let skipping: SkippedEvents?
  /// The lease that makes the program known to others while the plan is in use.
  private let lease: ProgramLease?
  /// Whether the program is known to others. A program without a lease takes no part in a roll-out.
  var isLeased: Bool { lease != nil }
  /// The roll-out that decides appends.
  package let rollout: RolloutPlan
  /// The older versions that read the events that the program stores.
  package let readers: PlanReaders
  /// How current events are stored, if their own code is all that is needed to encode them.
  let direct: DirectEvents?

  /// Whether the program skips newer types, even if it stores the results.
  private let mayPassOver: Bool

  package init(
    _ plan: CompiledPlan, _ quarantine: Quarantine? = nil, skipping: SkippedEvents? = nil,
    lease: ProgramLease? = nil, isAdopting: Bool = false, mayPassOver: Bool = false,
    observer: (any StoreObserver)? = nil
  ) {
    self.observer = observer
    self.plan = plan
    self.isAdopting = isAdopting
    self.quarantine = quarantine
    self.skipping = skipping
    self.mayPassOver = mayPassOver || skipping != nil
    self.lease = lease
    rollout = RolloutPlan(plan)
    let isDirect = !plan.mayAttach && plan.written.allSatisfy { $0.shape?.personal == nil }
    direct = isDirect ? DirectEvents(plan.written) : nil
    readers = PlanReaders(plan.outline)
    let adopted = plan.adopted
    beforeFolds = plan.beforeFolds.mapValues { plan in
      var before = plan
      before.adopted = adopted
      // Events that are stored under the newer version came after the last group ended.
      before.newestStored = plan.current.version
      return PlanResolver(before, isAdopting: isAdopting)
    }
  }

  /// Returns the same plan for readers that store their results. They stop at events that other readers may
  /// skip, because stored results must not depend on the reader.
  ///
  /// The program also stays known to others while it is used.
  package func passingOverNothing() -> PlanResolver {
    PlanResolver(
      plan, lease: lease, isAdopting: isAdopting, mayPassOver: mayPassOver, observer: observer)
  }

  /// The same plan for conditions of appends, which pass over nothing: made once, for all of them.
  var strict: PlanResolver {
    if quarantine == nil, skipping == nil { return self }
    return strictResolver.withLock { known in
      if let known { return known }
      let new = PlanResolver(plan, isAdopting: isAdopting, mayPassOver: mayPassOver)
      known = new
      return new
    }
  }

  /// Returns the same plan for readers that stop at unreadable entries.
  package func stopping() -> PlanResolver {
    if quarantine == nil { return self }
    return PlanResolver(
      plan, skipping: skipping, lease: lease, isAdopting: isAdopting, mayPassOver: mayPassOver,
      observer: observer)
  }

  /// Returns the mark of a state that this program has folded: the plan's outline and the state's shape.
  ///
  /// - Parameters:
  ///   - oldest: The oldest revision of the stream that is read.
  ///   - epoch: A number that rises with each erasure; 0 in a store that cannot have any. A state that was
  ///     folded before an erasure has another mark.
  ///   - alteration: The newest generation whose pass changed what a fold reads; 0 for none. A rollback leads
  ///     to an earlier one, and to the marks of before.
  /// - Complexity: O(plan) for the first call with a type, then one look-up.
  package func stateMark<State: ShapedRecord>(
    _ state: State.Type, from oldest: Revision, epoch: UInt64, alteration: UInt64
  ) -> [UInt8] {
    let mark = stateMark(state)
    if oldest == 0, epoch == 0, alteration == 0 { return mark }
    var bytes = mark
    bytes.append(varint: oldest.rawValue)
    bytes.append(varint: epoch)
    if alteration > 0 { bytes.append(varint: alteration) }
    return SHA256.hash(bytes)
  }

  private func stateMark<State: ShapedRecord>(_ state: State.Type) -> [UInt8] {
    stateMarks.withLock { known in
      if let mark = known[ObjectIdentifier(state)] { return mark }
      let mark = SHA256.hash(PlanMark.of(plan) + (State.recordShape?.fingerprint ?? []))
      known[ObjectIdentifier(state)] = mark
      return mark
    }
  }

  /// The number of types that have a mark.
  var stateMarkCount: Int { stateMarks.withLock { $0.count } }

  /// Whether the plan has a fold.
  var hasFolds: Bool { !beforeFolds.isEmpty }

  /// The plan up to the version before the stage that leads to `version` and has a fold; `nil` if there is
  /// none.
  func before(_ version: SchemaVersion) -> PlanResolver? { beforeFolds[version] }

  /// Returns, by kind number, where entries enter the plan; `nil` for kinds that do not, and for numbers
  /// without a kind.
  func table(for kinds: KindRegistry) -> [CompiledPlan.Entrance?] {
    if kinds.isUncommitted { return newTable(for: kinds) }
    let count = kinds.kinds.count
    return known.withLock { known in
      if known.generation == kinds.generation, known.epoch == kinds.epoch, known.count >= count {
        return known.table
      }
      let table = newTable(for: kinds)
      known = Known(generation: kinds.generation, count: count, epoch: kinds.epoch, table: table)
      return table
    }
  }

  private func newTable(for kinds: KindRegistry) -> [CompiledPlan.Entrance?] {
    let highest = kinds.kinds.keys.max().map { Int($0) + 1 } ?? 0
    var table = [CompiledPlan.Entrance?](repeating: nil, count: highest)
    for kind in kinds.kinds.values {
      // A reader that meets such an entry asks again for the reason.
      table[Int(kind.number)] = try? entrance(of: kind, in: kinds)
    }
    return table
  }

  /// Returns where entries of `kind` enter the plan.
  ///
  /// - Throws: The reason if they do not enter it.
  package func entrance(
    of kind: KindRegistry.Kind, in kinds: KindRegistry
  ) throws(MissingStep) -> CompiledPlan.Entrance {
    var unversioned = isAdopting ? plan.adopted : nil
    if kind.version == nil, let adopted = kinds.adopted {
      guard plan.adopted == adopted else { throw .adopted(as: adopted) }
      unversioned = adopted
    }
    let entrance = try plan.storedEntrance(of: kinds.recordKind(kind), unversioned: unversioned)
    if !plan.passesStreams, let version = kind.version ?? unversioned {
      // An entry that an earlier stage retained stays where that stage led it, and no later stage reads it.
      let retained = plan.steps[entrance.step].retainedBy ?? .max
      for index in plan.movingStages(after: version) where retained > index {
        let (from, to) = (plan.schemas[index].version, plan.schemas[index + 1].version)
        // A pass has been there, and set the remaining entries apart.
        guard !kinds.isActive(to) else { continue }
        throw .movesStreams(from: from, to: to)
      }
    }
    return entrance
  }

  /// Throws if events of `kind`, of which there are some, have yet to be moved to other streams.
  ///
  /// A stage that also computes a context makes its version active before its pass has moved them.
  private func mustHaveMoved(_ kind: KindRegistry.Kind, in kinds: KindRegistry) throws(MissingStep) {
    guard !plan.passesStreams, let version = kind.version ?? kinds.adopted ?? plan.adopted,
      let index = plan.movingStages(after: version).first(where: { stage in
        plan.retaining(kind, in: kinds).map { $0 > stage } ?? true
      })
    else { return }
    throw .movesStreams(from: plan.schemas[index].version, to: plan.schemas[index + 1].version)
  }

  /// Throws if the store has retired the version that the plan ends at.
  package func mustNotBeContracted(_ kinds: KindRegistry) throws(AnnalsError) {
    guard let contracted = kinds.contracted, plan.current.version < contracted else { return }
    throw AnnalsError(
      .superseded,
      "the roll-out of version \(contracted) of the schema is over, and the plan ends at \(plan.current.version): use a program whose plan ends at \(contracted) or later",
      details: AnnalsError.Details { $0.version = contracted })
  }

  /// Whether events of `kind` are of a type that only a newer version has, and are skipped.
  func passesOver(_ kind: KindRegistry.Kind) -> Bool {
    skipping != nil && isPassable(kind)
  }

  /// Whether events of `kind` are of a type that only a newer version has, so a reader that names its wanted
  /// events of the plan needs none of them.
  func isPassable(_ kind: KindRegistry.Kind) -> Bool {
    let current = plan.current
    guard mayPassOver, let version = kind.version, version > current.version else { return false }
    // Where the plan's own version is said to have the type, its stages made something else of it.
    if let oldest = kind.row.oldestReader, oldest <= current.version { return false }
    return current.index(of: ExactText(kind.row.name)) == nil
  }

  /// Throws unless every kind of which there are events has a path to the plan's current version.
  ///
  /// - Returns: The versions above the plan's current one that there are events of.
  /// - Complexity: O(kinds), regardless of the length of the log.
  @discardableResult
  package func prove(
    _ census: [UInt32: CensusRow], _ kinds: KindRegistry
  ) throws(AnnalsError) -> Set<SchemaVersion> {
    var newer: Set<SchemaVersion> = []
    var unreadable: [UnreadableKind] = []
    var code: AnnalsError.Code?
    for kind in kinds.kinds.values.sorted(by: { $0.number < $1.number }) {
      // Stubs need no path: nothing of them is delivered.
      guard let row = census[kind.number], row.parts > 0 || row.quarantined > 0 else { continue }
      do throws(MissingStep) {
        if try entrance(of: kind, in: kinds).isNewer, let version = kind.version {
          newer.insert(version)
        }
        if row.parts > 0 { try mustHaveMoved(kind, in: kinds) }
      } catch {
        if let version = kind.version, passesOver(kind) {
          newer.insert(version)
          continue
        }
        unreadable.append(
          UnreadableKind(
            type: kind.row.name, version: kind.version, count: row.parts, firstPosition: kind.row.first,
            missing: error.description))
        code = Self.graver(code, error.code)
      }
    }
    guard let code else { return newer }
    throw AnnalsError(
      code, "the plan, whose current version is \(plan.current.version),", cannotRead: unreadable)
  }

  /// Returns the code to report if several apply: a newer store explains the others, then an older one.
  private static func graver(_ left: AnnalsError.Code?, _ right: AnnalsError.Code) -> AnnalsError.Code {
    let order: [AnnalsError.Code] = [
      .newerSchema, .shapeChanged, .storeTooOld, .noPath, .requiresPass, .requiresActivation,
    ]
    return order.first { $0 == left || $0 == right } ?? right
  }
}

extension KindRegistry {
  /// Whether events below `version` are no longer appended.
  package func isActive(_ version: SchemaVersion) -> Bool {
    schemas.values.contains {
      $0.version == version && ($0.phase == .active || $0.phase == .contracted)
    }
  }

  /// Returns the record kind under which entries of `kind` are stored.
  package func recordKind(_ kind: Kind) -> RecordKind {
    RecordKind(
      type: ExactText(kind.row.name), version: kind.version, shape: kind.shape,
      stability: schemas[kind.row.ordinal]?.isDraft(kind.row) == true ? .draft : .released,
      oldestReader: kind.row.oldestReader)
  }
}
