import Synchronization

/// Where each kind of a store enters a plan, worked out once for each set of kinds.
final class PlanReach: Sendable {
  let plan: CompiledPlan
  private let known = Mutex<[CompiledPlan.Reach?]>([])

  init(_ plan: CompiledPlan) {
    self.plan = plan
  }

  /// By a kind's number, where its entries enter the plan; `nil` for numbers that are no kind's.
  func table(for kinds: KindRegistry) -> [CompiledPlan.Reach?] {
    let count = kinds.kinds.keys.max().map { Int($0) + 1 } ?? 0
    return known.withLock { known in
      if known.count >= count { return known }
      var table = [CompiledPlan.Reach?](repeating: nil, count: count)
      for kind in kinds.kinds.values {
        table[Int(kind.number)] = plan.reach(version: kind.version, type: kind.row.name)
      }
      known = table
      return table
    }
  }

  /// Throws unless every kind of which there are events has a path to the plan's current version.
  ///
  /// - Complexity: O(kinds), whatever the length of the log.
  func prove(_ census: [CensusLine]) throws(AnnalsError) {
    var unreadable: [UnreadableKind] = []
    var code: AnnalsError.Code?
    // Stubs need no path: nothing of them is delivered.
    for line in census where line.count > 0 || line.quarantined > 0 {
      guard case .missing(let step) = plan.reach(version: line.version, type: line.type) else { continue }
      unreadable.append(
        UnreadableKind(
          type: line.type, version: line.version, count: line.count, firstPosition: line.first,
          missing: step.description))
      code = Self.graver(code, Self.code(of: step))
    }
    guard let code else { return }
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

  private static func code(of step: MissingStep) -> AnnalsError.Code {
    switch step {
    case .newerVersion: .newerSchema
    case .olderVersion: .storeTooOld
    case .unversioned, .unknownVersion, .unknownType: .noPath
    }
  }

  /// What a caller is told where several are true: a newer store explains the rest, then an older one.
  private static func graver(_ left: AnnalsError.Code?, _ right: AnnalsError.Code) -> AnnalsError.Code {
    let order: [AnnalsError.Code] = [.newerSchema, .storeTooOld, .noPath]
    return order.first { $0 == left || $0 == right } ?? right
  }
}
