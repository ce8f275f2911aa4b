import Synchronization

/// Where each kind of a store enters a plan, worked out once for each set of kinds.
final class PlanReach: Sendable {
  let plan: CompiledPlan
  /// Where entries that cannot be read are reported; `nil` where readers stop at them.
  let quarantine: Quarantine?
  private struct Known {
    var generation: UInt64?
    var count = 0
    var epoch: UInt64?
    var table: [CompiledPlan.Entrance?] = []
  }
  private let known = Mutex(Known())

  /// Whether events without a version are read before it is noted which one they are of.
  private let isAdopting: Bool

  init(_ plan: CompiledPlan, _ quarantine: Quarantine? = nil, isAdopting: Bool = false) {
    self.plan = plan
    self.isAdopting = isAdopting
    self.quarantine = quarantine
  }

  /// By a kind's number, where its entries enter the plan; `nil` for those that do not, and for numbers that are no kind's.
  func table(for kinds: KindRegistry) -> [CompiledPlan.Entrance?] {
    let count = kinds.kinds.count
    return known.withLock { known in
      if known.generation == kinds.generation, known.epoch == kinds.epoch, known.count >= count {
        return known.table
      }
      let highest = kinds.kinds.keys.max().map { Int($0) + 1 } ?? 0
      var table = [CompiledPlan.Entrance?](repeating: nil, count: highest)
      for kind in kinds.kinds.values {
        // Why one does not enter is asked again by whoever meets an entry of it.
        table[Int(kind.number)] = try? entrance(of: kind, in: kinds)
      }
      known = Known(generation: kinds.generation, count: count, epoch: kinds.epoch, table: table)
      return table
    }
  }

  /// Where entries of `kind` enter the plan.
  ///
  /// - Throws: Why they do not.
  func entrance(
    of kind: KindRegistry.Kind, in kinds: KindRegistry
  ) throws(MissingStep) -> CompiledPlan.Entrance {
    var unversioned = isAdopting ? plan.adopted : nil
    if kind.version == nil, let adopted = kinds.adopted {
      guard plan.adopted == adopted else { throw .adopted(as: adopted) }
      unversioned = adopted
    }
    return try plan.entrance(of: kinds.recordKind(kind), unversioned: unversioned)
  }

  /// Throws unless every kind of which there are events has a path to the plan's current version.
  ///
  /// - Returns: The newest version above the plan's current one that there are events of; `nil` where there is none.
  /// - Complexity: O(kinds), whatever the length of the log.
  @discardableResult
  func prove(
    _ census: [UInt32: CensusRow], _ kinds: KindRegistry
  ) throws(AnnalsError) -> SchemaVersion? {
    var newest: SchemaVersion?
    var unreadable: [UnreadableKind] = []
    var code: AnnalsError.Code?
    for kind in kinds.kinds.values.sorted(by: { $0.number < $1.number }) {
      // Stubs need no path: nothing of them is delivered.
      guard let row = census[kind.number], row.parts > 0 || row.quarantined > 0 else { continue }
      do throws(MissingStep) {
        if try entrance(of: kind, in: kinds).isNewer, let version = kind.version {
          newest = max(newest ?? version, version)
        }
      } catch {
        unreadable.append(
          UnreadableKind(
            type: kind.row.name, version: kind.version, count: row.parts, firstPosition: kind.row.first,
            missing: error.description))
        code = Self.graver(code, error.code)
      }
    }
    guard let code else { return newest }
    let list = unreadable.map { kind in
      "\n- '\(kind.type)' of \(kind.version.map { "version \($0)" } ?? "no version"), \(kind.count) events, the first at position \(kind.firstPosition): \(kind.missing)"
    }
    throw AnnalsError(
      code,
      "the plan, whose current version is \(plan.current.version), cannot read all stored events:\(list.joined())",
      details: AnnalsError.Details {
        $0.kinds = unreadable
        $0.type = unreadable.first?.type
        $0.version = unreadable.first?.version
        $0.position = unreadable.first?.firstPosition
      })
  }

  /// What a caller is told where several are true: a newer store explains the rest, then an older one.
  private static func graver(_ left: AnnalsError.Code?, _ right: AnnalsError.Code) -> AnnalsError.Code {
    let order: [AnnalsError.Code] = [
      .newerSchema, .shapeChanged, .storeTooOld, .noPath, .requiresActivation,
    ]
    return order.first { $0 == left || $0 == right } ?? right
  }
}

extension MissingStep {
  /// What a caller is told.
  var code: AnnalsError.Code {
    switch self {
    case .newerVersion: .newerSchema
    case .olderVersion: .storeTooOld
    case .shapeChanged, .adopted: .shapeChanged
    case .notAdopted: .requiresActivation
    case .unversioned, .unknownVersion, .unknownType: .noPath
    }
  }
}

extension KindRegistry {
  /// Under what entries of `kind` are stored.
  func recordKind(_ kind: Kind) -> RecordKind {
    RecordKind(
      type: ExactText(kind.row.name), version: kind.version, shape: kind.shape,
      stability: schemas[kind.row.ordinal]?.isDraft(kind.row) == true ? .draft : .released)
  }
}
