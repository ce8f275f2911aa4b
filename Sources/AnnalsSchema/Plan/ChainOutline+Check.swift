internal import AnnalsCoding
internal import AnnalsShapes

extension ChainOutline {
  /// Returns all problems of the chain that the compiler cannot detect, oldest schema and stage first.
  func problems() -> [PlanProblem] {
    var problems = schemas.flatMap(nameProblems(of:))
    for index in schemas.indices { problems += shapeProblems(at: index) }
    problems += FieldHistory(self).problems()
    problems += retentionProblems()
    for (index, stage) in stages.enumerated() {
      problems += Self.versionProblems(from: schemas[index], to: schemas[index + 1])
      problems += Self.ruleProblems(of: stage, from: schemas[index], to: schemas[index + 1])
      problems += streamProblems(at: index)
      problems += carryProblems(at: index)
      problems += keepProblems(at: index)
      problems += formerNameProblems(at: index)
      problems += adjustmentProblems(at: index)
      problems += bridgeProblems(at: index)
      problems += retagProblems(at: index)
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
      for name in record.formerNames {
        if let fault = NameRule.fault(of: name.text) {
          problems.append(.invalidName(.init(record), in: .init(schema), fault: fault))
        }
      }
      if let other = first[record.name] {
        problems.append(.sameName(.init(other), .init(record), in: .init(schema)))
      } else {
        first[record.name] = record
      }
    }
    return problems
  }

  /// Returns problems of former names that would lead events elsewhere than declared.
  private func formerNameProblems(at index: Int) -> [PlanProblem] {
    let (from, to) = (schemas[index], schemas[index + 1])
    var owners: [ExactText: RecordOutline] = [:]
    var problems: [PlanProblem] = []
    for record in to.records {
      for name in record.formerNames {
        guard let old = from.index(of: name), from.records[old].type != record.type else { continue }
        let takenBy = to.index(of: name).map { to.records[$0] } ?? owners[name]
        if let takenBy, takenBy.type != record.type, stages[index].rule(for: old) == nil {
          problems.append(
            .formerName(.init(record), .init(takenBy), name: name.text, from: .init(from), to: .init(to)))
        }
        owners[name] = owners[name] ?? record
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
        case .anything, .nothing, .retained: true
        }
      if !outputsAreRecords { problems.append(.noRecord(.init(to), from: .init(from), to: .init(to))) }
    }
    return problems
  }

  /// Returns problems of a stage's rules for streams.
  private func streamProblems(at index: Int) -> [PlanProblem] {
    let (stage, from, to) = (stages[index], schemas[index], schemas[index + 1])
    var problems: [PlanProblem] = []
    if stage.streamRules > 1 { problems.append(.twoStreams(from: .init(from), to: .init(to))) }
    if stage.movesStreams, stage.hasFold { problems.append(.foldedStreams(from: .init(from), to: .init(to))) }
    return problems
  }

  /// Returns problems of a stage's records without a rule.
  private func carryProblems(at index: Int) -> [PlanProblem] {
    let from = schemas[index]
    let to = schemas[index + 1]
    var problems: [PlanProblem] = []
    for (record, crossing) in zip(from.records, crossings[index]) {
      switch crossing {
      case .rule, .carried: continue
      case .forgotten:
        problems.append(
          .forgotten(
            .init(record), from: .init(from), to: .init(to),
            maybe: heirs(of: record, at: index).map { .init($0) }))
      case .redeclared(let next), .converted(let next, _):
        let newer = to.records[next]
        if let carried = schemas[..<index].last(where: { $0.records.contains { $0.type == newer.type } }) {
          problems.append(.skips(.init(newer), from: .init(from), to: .init(to), carried: .init(carried)))
        } else if case .converted(_, let comparison) = crossing {
          if comparison.conversion == nil {
            let changes =
              comparison.changes.filter { $0.verdict != .lightweight || $0.kind.isDoubt }
              .map { $0.description(of: newer.caseName) } + comparison.problems.map(\.sentence)
            problems.append(.incompatible(.init(record), from: .init(from), to: .init(to), changes: changes))
          }
        } else {
          problems.append(.redeclared(.init(record), from: .init(from), to: .init(to)))
        }
      }
    }
    return problems
  }

  /// Returns the records that are new in a stage and could be a forgotten one under another name: they have
  /// its shape.
  func heirs(of record: RecordOutline, at index: Int) -> [RecordOutline] {
    guard let shape = record.shape else { return [] }
    let (from, to) = (schemas[index], schemas[index + 1])
    return to.records.enumerated().filter { number, newer in
      newer.shape == shape && from.index(of: newer.name) == nil && newer.formerNames.isEmpty
        && !crossings[index].contains { $0.makes(number) }
    }.map(\.element)
  }

  /// Returns problems of a stage's declarations about fields.
  private func adjustmentProblems(at index: Int) -> [PlanProblem] {
    let to = schemas[index + 1]
    let converted = Set(
      crossings[index].compactMap { crossing -> Int? in
        if case .converted(let next, _) = crossing { next } else { nil }
      } + stages[index].rules.compactMap { $0.keep?.target })
    return stages[index].adjustments.compactMap { adjustment in
      guard to.records.indices.contains(adjustment.caseIndex) else {
        return .noRecord(.init(to), from: .init(schemas[index]), to: .init(to))
      }
      let record = PlanProblem.Record(to.records[adjustment.caseIndex])
      let place = (PlanProblem.Schema(schemas[index]), PlanProblem.Schema(to))
      if adjustment.adjustment == nil {
        return .noField(adjustment.word, record, from: place.0, to: place.1)
      }
      if !converted.contains(adjustment.caseIndex) {
        return .idle(adjustment.word, record, from: place.0, to: place.1)
      }
      return nil
    }
  }

  /// Returns problems of a stage to a bridge, and of downcasts.
  private func bridgeProblems(at index: Int) -> [PlanProblem] {
    let (from, to, stage) = (schemas[index], schemas[index + 1], stages[index])
    let place = (PlanProblem.Schema(from), PlanProblem.Schema(to))
    var problems: [PlanProblem] = []
    var counts: [Int: Int] = [:]
    for downcast in stage.downcasts {
      guard to.records.indices.contains(downcast.caseIndex) else {
        problems.append(.noRecord(.init(to), from: place.0, to: place.1))
        continue
      }
      let record = PlanProblem.Record(to.records[downcast.caseIndex])
      counts[downcast.caseIndex, default: 0] += 1
      if counts[downcast.caseIndex] == 2 {
        problems.append(.twoDowncasts(record, from: place.0, to: place.1))
      }
      if downcast.losing.contains(nil) {
        problems.append(.noField("losing: of Downcast", record, from: place.0, to: place.1))
      }
      if let target = downcast.target, crossings[index].indices.contains(target),
        crossings[index][target].givesNothing
      {
        let older = PlanProblem.Record(from.records[target])
        problems.append(.droppedDowncast(record, into: older, from: place.0, to: place.1))
      }
      if to.stability != .bridge { problems.append(.idleDowncast(record, from: place.0, to: place.1)) }
    }
    guard let forms = bridgeForms(ofStage: index) else { return problems }
    if stage.activatesAtOnePosition { problems.append(.bridgeAtOnePosition(.init(to), from: place.0)) }
    for (record, form) in zip(to.records, forms) {
      if case .impossible(let changes) = form {
        problems.append(.unbridged(.init(record), in: .init(to), from: place.0, changes: changes))
      }
    }
    return problems + clearProblems(at: index, forms)
  }

  /// Returns problems of the shapes of a schema's records, and of the place of a draft.
  private func shapeProblems(at index: Int) -> [PlanProblem] {
    let schema = schemas[index]
    var problems: [PlanProblem] = []
    if schema.stability == .draft, index + 1 < schemas.count { problems.append(.oldDraft(.init(schema))) }
    for record in schema.records {
      problems += (record.shape?.shape.problems() ?? []).map {
        .shape(.init(record), in: .init(schema), problem: $0.sentence)
      }
      problems += (record.shape?.shape.personalProblems ?? []).map {
        .shape(.init(record), in: .init(schema), problem: $0)
      }
    }
    return problems
  }
}
