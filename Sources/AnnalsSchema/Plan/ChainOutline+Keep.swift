internal import AnnalsCoding
internal import AnnalsShapes

extension ChainOutline {
  /// Returns problems of a stage's rules that keep fields.
  func keepProblems(at index: Int) -> [PlanProblem] {
    let (from, to, stage) = (schemas[index], schemas[index + 1], stages[index])
    return stage.rules.compactMap { rule in
      guard let keep = rule.keep, from.records.indices.contains(rule.caseIndex),
        to.records.indices.contains(keep.target)
      else { return nil }
      let (old, new) = (from.records[rule.caseIndex], to.records[keep.target])
      if keep.changed.contains(nil) {
        return .noField("changing: of Keep", .init(new), from: .init(from), to: .init(to))
      }
      let reasons = Self.reasons(keep, old, new, stage.adjustments)
      return reasons.isEmpty ? nil : .notKept(.init(old), from: .init(from), to: .init(to), changes: reasons)
    }
  }

  private static func reasons(
    _ keep: KeepOutline, _ old: RecordOutline, _ new: RecordOutline, _ adjustments: [AdjustmentOutline]
  ) -> [String] {
    let names = keep.names(in: new)
    let repeated = Set(names.map { ExactText($0) }).count < names.count
    if repeated { return ["a field is named twice after 'changing:'"] }
    guard old.shape != nil, new.shape != nil else { return ["one of the two records has no shape"] }
    guard let comparison = keep.comparison(from: old, to: new, adjustments) else {
      return ["'\(new.name.text)' contains itself"]
    }
    guard comparison.conversion == nil else { return [] }
    return comparison.changes.filter { $0.verdict != .lightweight }
      .map { $0.description(of: new.caseName) } + comparison.problems.map(\.sentence)
  }
}
