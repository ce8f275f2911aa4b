extension ChainOutline {
  /// All that is wrong with the chain and that the compiler cannot see, oldest schema and stage first.
  func problems() -> [PlanProblem] {
    var problems = schemas.flatMap(nameProblems(of:))
    for (index, stage) in stages.enumerated() {
      problems += Self.versionProblems(from: schemas[index], to: schemas[index + 1])
      problems += Self.ruleProblems(of: stage, from: schemas[index], to: schemas[index + 1])
      problems += carryProblems(of: stage, at: index)
    }
    return problems
  }

  private func nameProblems(of schema: SchemaOutline) -> [PlanProblem] {
    var problems: [PlanProblem] = []
    var first: [ExactText: RecordOutline] = [:]
    for record in schema.records {
      if let fault = NameRule.fault(of: record.name.text) {
        problems.append(.invalidName(.init(record), in: .init(schema), fault: fault))
      }
      if let other = first[record.name] {
        problems.append(.sameName(.init(other), .init(record), in: .init(schema)))
      } else {
        first[record.name] = record
      }
    }
    return problems
  }

  private static func versionProblems(from: SchemaOutline, to: SchemaOutline) -> [PlanProblem] {
    from.version < to.version ? [] : [.notRising(.init(to), after: .init(from))]
  }

  private static func ruleProblems(
    of stage: StageOutline, from: SchemaOutline, to: SchemaOutline
  ) -> [PlanProblem] {
    var problems: [PlanProblem] = []
    var counts: [Int: Int] = [:]
    for rule in stage.rules {
      guard from.records.indices.contains(rule.caseIndex) else {
        problems.append(.noRecord(.init(from), from: .init(from), to: .init(to)))
        continue
      }
      counts[rule.caseIndex, default: 0] += 1
      if counts[rule.caseIndex] == 2 {
        problems.append(.twoRules(.init(from.records[rule.caseIndex]), from: .init(from), to: .init(to)))
      }
      let outputsAreRecords =
        switch rule.effect {
        case .cases(let outputs): outputs.allSatisfy(to.records.indices.contains)
        case .unknown: false
        case .anything, .nothing: true
        }
      if !outputsAreRecords { problems.append(.noRecord(.init(to), from: .init(from), to: .init(to))) }
    }
    return problems
  }

  /// What is wrong with the records of a stage that no rule takes.
  private func carryProblems(of stage: StageOutline, at index: Int) -> [PlanProblem] {
    let from = schemas[index]
    let to = schemas[index + 1]
    var problems: [PlanProblem] = []
    for (number, record) in from.records.enumerated() where stage.effect(on: number) == nil {
      guard let next = to.index(of: record.name) else {
        problems.append(.forgotten(.init(record), from: .init(from), to: .init(to)))
        continue
      }
      let newer = to.records[next]
      if newer.type == record.type { continue }
      let carried = schemas[..<index].last { $0.records.contains { $0.type == newer.type } }
      if let carried {
        problems.append(.skips(.init(newer), from: .init(from), to: .init(to), carried: .init(carried)))
      } else {
        problems.append(.redeclared(.init(record), from: .init(from), to: .init(to)))
      }
    }
    return problems
  }
}
