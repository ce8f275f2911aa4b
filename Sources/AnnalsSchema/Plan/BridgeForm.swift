internal import AnnalsCoding

/// How programs of the version before a bridge get the records of one of its types.
package enum BridgeForm: Sendable {
  /// They read them as their own records of that name.
  case readable
  /// They are stored as records of this number in the older schema, if they come back from there as they were.
  case lowered(to: Int, down: Conversion, up: Conversion)
  /// A downcast says as what they are stored.
  case rule
  /// The older version has nothing for them: they wait until nobody needs it.
  case later
  /// The older version has a record for them, and there is no way to it; for these reasons.
  case impossible([String])

  /// Whether they are stored as they are from the beginning, or not at all.
  var isStoredAsIs: Bool {
    switch self {
    case .readable, .later: true
    case .lowered, .rule, .impossible: false
    }
  }
}

extension ChainOutline {
  /// How programs of the older version of a stage get each record of the newer one; `nil` where that is no bridge.
  func bridgeForms(ofStage index: Int) -> [BridgeForm]? {
    let (from, to) = (schemas[index], schemas[index + 1])
    guard to.stability == .bridge else { return nil }
    return to.records.indices.map { form(of: $0, from, to, stages[index], crossings[index]) }
  }

  private func form(
    of number: Int, _ from: SchemaOutline, _ to: SchemaOutline, _ stage: StageOutline,
    _ crossings: [RecordCrossing]
  ) -> BridgeForm {
    if stage.downcasts.contains(where: { $0.caseIndex == number }) { return .rule }
    let newer = to.records[number]
    if let old = from.index(of: newer.name) {
      return form(of: newer, as: from.records[old], numbered: old, stage, crossings[old], number)
    }
    let former = newer.formerNames.lazy.compactMap { from.index(of: $0) }.first
    if let former { return lowered(newer, from.records[former], former, stage, crossings[former], number) }
    for (crossing, old) in zip(crossings, from.records) {
      if case .rule(.cases(let outputs)) = crossing, outputs.contains(number) {
        return .impossible(["the stage makes it of '\(old.name.text)'"])
      }
    }
    return .later
  }

  /// The form of a record whose name the older version has too.
  private func form(
    of newer: RecordOutline, as older: RecordOutline, numbered old: Int, _ stage: StageOutline,
    _ crossing: RecordCrossing, _ number: Int
  ) -> BridgeForm {
    guard let new = newer.shape, let known = older.shape else {
      // By name an older program reads nothing of a newer version.
      if case .carried(let target) = crossing, target == number {
        return .lowered(to: old, down: .same, up: .same)
      }
      // What is stored as the older version comes back through the rule, and would be something else then.
      if case .rule = crossing { return .impossible(["a rule takes the record that has its name"]) }
      return .impossible(["one of the two has no shape"])
    }
    if case .rule(let effect) = crossing {
      // An older program would take whatever has the name for its own: pounds for kilograms, or something else altogether.
      guard effect.allows(number) else {
        return .impossible(["the stage makes something else of the record that had its name"])
      }
      if new == known { return .impossible(["a rule makes it, in the shape that it had before"]) }
    }
    // As an older program does it, which knows nothing of what the stage says.
    let comparison = ShapeComparison(from: new.shape, to: known.shape, direction: .downgrade)
    if comparison.isTotal, comparison.agrees(with: crossing) { return .readable }
    return lowered(newer, older, old, stage, crossing, number)
  }

  /// The form of a record that is stored by what the stage says, turned around.
  private func lowered(
    _ newer: RecordOutline, _ older: RecordOutline, _ old: Int, _ stage: StageOutline,
    _ crossing: RecordCrossing, _ number: Int
  ) -> BridgeForm {
    guard let new = newer.shape, let known = older.shape else {
      return .impossible(["one of the two has no shape"])
    }
    let adjustments = stage.adjustments.filter { $0.caseIndex == number }.compactMap(\.adjustment)
    let comparison = ShapeComparison(
      from: new.shape, to: known.shape, adjustments: adjustments, direction: .downgrade)
    if let down = comparison.conversion, let (target, up) = crossing.conversion, target == number {
      return .lowered(to: old, down: down, up: up)
    }
    let reasons =
      comparison.changes.filter { $0.breaksForward || $0.verdict != .lightweight }.map(\.description)
      + comparison.problems.map(\.description)
    return .impossible(
      reasons.isEmpty ? ["a rule takes '\(older.name.text)', and no rule can be turned around"] : reasons)
  }
}

extension ShapeComparison {
  /// Whether every payload can be converted, and is then one of the shape wanted.
  var isTotal: Bool {
    guard let conversion, !conversion.isPartial else { return false }
    return changes.allSatisfy { change in
      switch change.kind {
      // Null, and a text that is no URL, are left for the reader to refuse.
      case .becameOptional, .widened, .merged, .wrapped: false
      default: true
      }
    }
  }
}

extension ShapeComparison {
  /// Whether a program that knows the two shapes alone takes the same fields for one as the stage does.
  ///
  /// Where a rule makes the newer record, the bridge promises that fields of one name are one.
  fileprivate func agrees(with crossing: RecordCrossing) -> Bool {
    guard case .converted(_, let comparison) = crossing else { return true }
    return !comparison.movesFields && comparison.matches == matches
  }
}
