internal import AnnalsCoding

extension ShapeWalk {
  /// Maps each stored case; `nil` if some case has no counterpart for the reader.
  mutating func cases(
    _ old: [ShapeGraph.Case], _ new: [ShapeGraph.Case], _ oldType: Int, _ newType: Int, at path: String
  ) -> [Mapping.CaseMapping]? {
    let oldNumbers = Self.numbers(old)
    let newNumbers = Self.numbers(new)
    let unknown = unknown(in: old)
    var upgraded: [Mapping.CaseMapping] = []
    var downgraded: [Mapping.CaseMapping] = []
    var isComplete = true
    for oneCase in old where newNumbers[ExactText(oneCase.name)] == nil {
      note(.caseRemoved(oneCase.name), oldType, newType, at: path)
      if isUpgrade { isComplete = false }
    }
    var mapped: [Int: [Mapping]] = [:]
    for oneCase in new {
      guard let before = oldNumbers[ExactText(oneCase.name)] else {
        note(.caseAdded(oneCase.name), oldType, newType, at: path, hasUnknown: unknown != nil)
        let nulls = unknown.map { old[$0].values.map { _ in Mapping.constant([0xf6]) } }
        downgraded.append(
          Mapping.CaseMapping(target: unknown, count: oneCase.values.count, values: nulls ?? []))
        continue
      }
      let values = fields(old[before].values, oneCase.values, at: path.appending(oneCase.name), areHeld: true)
      if values == nil { isComplete = false }
      mapped[before] = values
      downgraded.append(
        Mapping.CaseMapping(target: before, count: oneCase.values.count, values: values ?? []))
    }
    for (number, oneCase) in old.enumerated() {
      upgraded.append(
        Mapping.CaseMapping(
          target: newNumbers[ExactText(oneCase.name)], count: oneCase.values.count,
          values: mapped[number] ?? []))
    }
    let order = upgraded.compactMap(\.target)
    if zip(order, order.dropFirst()).contains(where: { $0 > $1 }) {
      note(.reordered, oldType, newType, at: path)
    }
    guard isComplete else { return nil }
    return isUpgrade ? upgraded : downgraded
  }

  /// Returns the case for unknown ones, if it has no values that are required.
  private func unknown(in cases: [ShapeGraph.Case]) -> Int? {
    cases.firstIndex { oneCase in
      oneCase.standsForUnknown && oneCase.values.allSatisfy { older.isOptional($0.type) }
    }
  }

  private static func numbers(_ cases: [ShapeGraph.Case]) -> [ExactText: Int] {
    Dictionary(
      cases.enumerated().map { (ExactText($0.element.name), $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }
}
