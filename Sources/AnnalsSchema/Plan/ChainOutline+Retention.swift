internal import AnnalsCoding

/// Which stage, if any, keeps the entries of one stored record as they are.
enum RecordRetention: Equatable, Sendable {
  /// No stage retains them.
  case none
  /// The stage of this number retains all of them.
  case whole(by: Int)
  /// A rule converts them both to records that a stage retains and to others: such a plan is invalid.
  case partly

  /// The number of the stage that retains them; `nil` if none does.
  var stage: Int? { if case .whole(let stage) = self { stage } else { nil } }
}

extension ChainOutline {
  /// Returns, for each record of each schema, the retention of entries that are stored as it.
  ///
  /// A rule that names no outputs is assumed to make no retained records; one that does fails when it runs.
  ///
  /// - Complexity: O(records · stages).
  func retention() -> [[RecordRetention]] {
    guard let current = schemas.last else { return [] }
    var newest = [current.records.map { _ in RecordRetention.none }]
    for index in stages.indices.reversed() {
      let next = newest[newest.endIndex - 1]
      newest.append(
        crossings[index].enumerated().map { number, crossing in
          switch crossing {
          case .rule(.retained): return .whole(by: index)
          case .carried(let target), .converted(let target, _), .redeclared(let target): return next[target]
          case .rule(.cases(let outputs)):
            let isFold = stages[index].rule(for: number)?.word == .fold
            return Self.joined(outputs.filter(next.indices.contains).map { next[$0] }, isFold: isFold)
          case .rule(.anything), .rule(.nothing), .rule(.unknown), .forgotten: return .none
          }
        })
    }
    return newest.reversed()
  }

  /// Returns the retention of entries that a rule converts to these records.
  ///
  /// - Parameter isFold: Whether the rule combines several entries into one event, so that none is kept
  ///   whole.
  private static func joined(_ outputs: [RecordRetention], isFold: Bool) -> RecordRetention {
    guard let first = outputs.first, outputs.contains(where: { $0 != .none }) else { return .none }
    return !isFold && outputs.allSatisfy { $0 == first } ? first : .partly
  }

  /// Returns the rules that make both records that a later stage retains and records that it does not.
  func retentionProblems() -> [PlanProblem] {
    let retention = retention()
    var problems: [PlanProblem] = []
    for index in stages.indices {
      let (from, to) = (schemas[index], schemas[index + 1])
      for (number, crossing) in crossings[index].enumerated() {
        guard case .rule(.cases(let outputs)) = crossing, retention[index][number] == .partly,
          let output = outputs.sorted().first(where: { output in
            to.records.indices.contains(output) && retention[index + 1][output].stage != nil
          }), let stage = retention[index + 1][output].stage
        else { continue }
        problems.append(
          .partlyRetained(
            .init(from.records[number]), as: .init(to.records[output]), from: .init(from), to: .init(to),
            after: .init(schemas[stage + 1])))
      }
    }
    return problems
  }
}
