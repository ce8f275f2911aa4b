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

  /// Returns the names of the personal fields of a record whose values its older form would not encrypt with
  /// the key of the same person.
  private func clearFields(of number: Int, ofStage index: Int, _ form: BridgeForm) -> [String] {
    let (from, stage, newer) = (schemas[index], stages[index], schemas[index + 1].records[number])
    guard let shape = newer.shape, let personal = shape.personal else { return [] }
    switch form {
    case .readable, .later, .impossible: return []
    case .lowered(let old, _, _):
      guard let known = from.records[old].shape else { return personal.fields.map(\.name) }
      let adjustments = stage.adjustments.filter { $0.caseIndex == number }.compactMap(\.adjustment)
      let comparison = ShapeComparison(
        from: shape.shape, to: known.shape, adjustments: adjustments, direction: .downgrade)
      let partners = comparison.olderFields(known.shape, shape.shape)
      return personal.fields.filter { field in
        guard let partner = partners[field.index] else {
          // A new value has no place in the older form, and the append fails. One that moves has.
          return comparison.movesFields
        }
        guard let sealed = known.personal?.fields.first(where: { $0.index == partner }) else { return true }
        return partners[field.subject] != sealed.subject
      }.map(\.name)
    case .rule:
      let downcast = stage.downcasts.first { $0.caseIndex == number }
      let losing = Set((downcast?.losing ?? []).compactMap(\.self))
      let targets = downcast?.target.map { [from.records[$0]] } ?? from.records
      return personal.fields.filter { field in
        if losing.contains(field.index) { return false }
        let names = Set([field.name, shape.shape.fields[field.index].originalName].compactMap { $0 })
        return !targets.contains { $0.shape?.encryptsFields(called: names) ?? false }
      }.map(\.name)
    }
  }
}

extension StoredShape {
  /// Whether a rule that makes the record of personal values may put them into personal fields: one of these
  /// names, or others if there is no field of such a name.
  fileprivate func encryptsFields(called names: Set<String>) -> Bool {
    guard let personal else { return false }
    let names = Set(names.map { ExactText($0) })
    let namesakes = shape.fields.indices.filter { names.contains(ExactText(shape.fields[$0].name)) }
    return namesakes.isEmpty || personal.fields.contains { namesakes.contains($0.index) }
  }
}
