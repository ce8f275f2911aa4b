internal import AnnalsCoding
internal import AnnalsShapes

extension ChainOutline {
  /// Returns the problems of a bridge whose records would be stored with personal values in the clear.
  ///
  /// Only the last version of a plan is stored in an older form.
  func clearProblems(at index: Int, _ forms: [BridgeForm]) -> [PlanProblem] {
    guard index == stages.count - 1 else { return [] }
    let (from, to) = (schemas[index], schemas[index + 1])
    return forms.enumerated().compactMap { number, form in
      let fields = clearFields(of: number, ofStage: index, form)
      if fields.isEmpty { return nil }
      return .bridgedInTheClear(
        .init(to.records[number]), in: .init(to), from: .init(from), fields: fields,
        isDowncast: stages[index].downcasts.contains { $0.caseIndex == number })
    }
  }

  /// Returns the fields of a bridge's records that are stored in another form, by the numbers of the records.
  func bridgedFields(ofStage index: Int, _ forms: [BridgeForm]) -> [Int: BridgedFields] {
    var fields: [Int: BridgedFields] = [:]
    for downcast in stages[index].downcasts where fields[downcast.caseIndex] == nil {
      fields[downcast.caseIndex] = BridgedFields(lost: Set(downcast.losing.compactMap(\.self)))
    }
    for (number, form) in forms.enumerated() {
      let personal = personalFields(of: number, ofStage: index, form)
      if !personal.isEmpty { fields[number, default: BridgedFields()].personal = personal }
    }
    return fields
  }

  /// Returns the numbers of the fields of older records that hold personal fields of a bridge's record and
  /// are personal themselves, by the number of the older record.
  private func personalFields(of number: Int, ofStage index: Int, _ form: BridgeForm) -> [Int: Set<Int>] {
    let (from, newer) = (schemas[index], schemas[index + 1].records[number])
    guard let shape = newer.shape, let personal = shape.personal else { return [:] }
    switch form {
    case .readable, .later, .impossible: return [:]
    case .lowered(let old, _, _):
      guard let known = from.records[old].shape, let sealed = known.personal else { return [:] }
      let partners = olderFields(of: number, ofStage: index, shape, known).partners
      let held = Set(personal.fields.compactMap { partners[$0.index] })
      return [old: held.intersection(sealed.fields.map(\.index))]
    case .rule:
      let names = Set(personal.fields.flatMap { shape.names(ofField: $0.index) })
      return Dictionary(
        uniqueKeysWithValues: from.records.enumerated().map { old, record in
          let fields = record.shape?.personal?.fields.filter { names.contains(ExactText($0.name)) } ?? []
          return (old, Set(fields.map(\.index)))
        })
    }
  }

  /// Returns, for each field of a bridge's record, the field of the older record that it is, and whether
  /// fields move into or out of a nested record.
  private func olderFields(
    of number: Int, ofStage index: Int, _ shape: StoredShape, _ known: StoredShape
  ) -> (partners: [Int?], areMoved: Bool) {
    let adjustments = stages[index].adjustments.filter { $0.caseIndex == number }.compactMap(\.adjustment)
    let comparison = ShapeComparison(
      from: shape.shape, to: known.shape, adjustments: adjustments, direction: .downgrade)
    return (comparison.olderFields(known.shape, shape.shape), comparison.movesFields)
  }

  /// Returns the names of the personal fields of a record whose values its older form would not encrypt with
  /// the key of the same person.
  private func clearFields(of number: Int, ofStage index: Int, _ form: BridgeForm) -> [String] {
    let (from, stage, newer) = (schemas[index], stages[index], schemas[index + 1].records[number])
    guard let shape = newer.shape, let personal = shape.personal else { return [] }
    switch form {
    case .readable, .later, .impossible: return []
    case .lowered(let old, _, _):
      guard let known = from.records[old].shape else { return personal.fields.map(\.name) }
      let (partners, areMoved) = olderFields(of: number, ofStage: index, shape, known)
      return personal.fields.filter { field in
        // A new value has no place in the older form, and the append fails. One that moves has.
        guard let partner = partners[field.index] else { return areMoved }
        guard let sealed = known.personal?.fields.first(where: { $0.index == partner }) else { return true }
        return partners[field.subject] != sealed.subject
      }.map(\.name)
    case .rule:
      let downcast = stage.downcasts.first { $0.caseIndex == number }
      let losing = Set((downcast?.losing ?? []).compactMap(\.self))
      let targets = downcast?.target.map { [from.records[$0]] } ?? from.records
      return personal.fields.filter { field in
        if losing.contains(field.index) { return false }
        let names = shape.names(ofField: field.index)
        return !targets.contains { $0.shape?.encryptsFields(called: names) ?? false }
      }.map(\.name)
    }
  }
}

extension StoredShape {
  /// The name of a field, and the one that it had in the previous version.
  fileprivate func names(ofField number: Int) -> Set<ExactText> {
    let field = shape.fields[number]
    return Set([field.name, field.originalName].compactMap { $0.map { ExactText($0) } })
  }

  /// Whether a rule that makes the record of personal values may put them into personal fields: one of these
  /// names, or others if there is no field of such a name.
  fileprivate func encryptsFields(called names: Set<ExactText>) -> Bool {
    guard let personal else { return false }
    let namesakes = shape.fields.indices.filter { names.contains(ExactText(shape.fields[$0].name)) }
    return namesakes.isEmpty || personal.fields.contains { namesakes.contains($0.index) }
  }
}
