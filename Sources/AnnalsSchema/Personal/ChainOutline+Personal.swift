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

  /// Returns the older fields that may hold the personal fields of a bridge's record, by the number of the
  /// older record.
  private func personalFields(
    of number: Int, ofStage index: Int, _ form: BridgeForm
  ) -> [Int: PersonalHolders] {
    guard let shape = schemas[index + 1].records[number].shape, shape.personal != nil else { return [:] }
    return targets(of: number, ofStage: index, form).reduce(into: [:]) { fields, old in
      guard let known = schemas[index].records[old].shape, known.personal != nil else { return }
      let isRule = if case .rule = form { true } else { false }
      fields[old] = holders(
        of: shape, in: known, olderFields(of: number, ofStage: index, shape, known).partners, isRule)
    }
  }

  /// The numbers of the older records as which a bridge's record may be stored.
  private func targets(of number: Int, ofStage index: Int, _ form: BridgeForm) -> [Int] {
    switch form {
    case .readable, .later, .impossible: []
    case .lowered(let old, _, _): [old]
    case .rule:
      stages[index].downcasts.first { $0.caseIndex == number }?.target.map { [$0] }
        ?? Array(schemas[index].records.indices)
    }
  }

  /// Returns the older fields that may hold each personal field of a bridge's record, encrypted with the key
  /// of the same person.
  ///
  /// A rule may also put a value without a namesake into any field of that person. An id needs a namesake,
  /// because only its field says whose it is.
  private func holders(
    of shape: StoredShape, in known: StoredShape, _ partners: [Int?], _ isRule: Bool
  ) -> PersonalHolders {
    var holders: PersonalHolders = [:]
    for field in shape.personal?.fields ?? [] {
      for older in known.personal?.fields ?? [] where partners[field.subject] == older.subject {
        guard partners[field.index].map({ $0 == older.index }) ?? isRule else { continue }
        let (id, oldID) = (shape.shape.fields[field.subject].shape, known.shape.fields[older.subject].shape)
        // Such an id has another text as Data, and only a rule can keep it.
        if !isRule, (id == .bytes) != (oldID == .bytes) { continue }
        holders[field.index, default: []].insert(older.index)
      }
    }
    return holders
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
    let (older, shape) = (schemas[index].records, schemas[index + 1].records[number].shape)
    let targets = targets(of: number, ofStage: index, form)
    guard let shape, let personal = shape.personal, !targets.isEmpty else { return [] }
    let held = personalFields(of: number, ofStage: index, form)
    let lost = stages[index].downcasts.first { $0.caseIndex == number }?.losing ?? []
    return personal.fields.filter { field in
      if lost.contains(field.index) { return false }
      if case .lowered(let old, _, _) = form, let known = older[old].shape {
        let (partners, areMoved) = olderFields(of: number, ofStage: index, shape, known)
        // A new value has no place in the older form, and the append fails. One that moves has.
        if partners[field.index] == nil, !areMoved { return false }
      }
      return !targets.contains { held[$0]?[field.index] != nil }
    }.map(\.name)
  }
}
