internal import AnnalsCoding
package import AnnalsShapes

/// How programs of the version before a bridge read the records of one of its types.
package enum BridgeForm: Sendable {
  /// They read the records as their own records of that name.
  case readable
  /// The records are stored as records of this number in the older schema, if the conversion is reversible.
  case lowered(to: Int, down: Conversion, up: Conversion)
  /// A downcast converts them.
  case rule
  /// The older version has no equivalent: they wait until no program needs it.
  case later
  /// The older version has a record for them, but no conversion to it exists, for these reasons.
  case impossible([String])

  /// Whether they are stored in their own form from the beginning, or not at all.
  var isStoredAsIs: Bool {
    switch self {
    case .readable, .later: true
    case .lowered, .rule, .impossible: false
    }
  }
}

extension ChainOutline {
  /// Returns how programs of a stage's older version read each record of the newer one; `nil` if that is no
  /// bridge.
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

  /// Returns the form of a record whose name the older version also has.
  private func form(
    of newer: RecordOutline, as older: RecordOutline, numbered old: Int, _ stage: StageOutline,
    _ crossing: RecordCrossing, _ number: Int
  ) -> BridgeForm {
    guard let new = newer.shape, let known = older.shape else {
      // Older programs cannot read records of a newer version that are stored by name.
      if case .carried(let target) = crossing, target == number {
        return .lowered(to: old, down: .same, up: .same)
      }
      // A record stored as the older version is read through the rule, and would become something else.
      if case .rule = crossing { return .impossible(["a rule takes the record that has its name"]) }
      return .impossible(["one of the two has no shape"])
    }
    if case .rule(let effect) = crossing {
      // An older program would read any record with the name as its own: pounds as kilograms, or unrelated
      // data.
      guard effect.allows(number) else {
        return .impossible(["the stage makes something else of the record that had its name"])
      }
      if new == known { return .impossible(["a rule makes it, in the shape that it had before"]) }
    }
    // As an older program does, which does not know the stage's declarations.
    let comparison = ShapeComparison(from: new.shape, to: known.shape, direction: .downgrade)
    if comparison.isTotal, comparison.agrees(with: crossing) { return .readable }
    return lowered(newer, older, old, stage, crossing, number)
  }

  /// Returns the form of a record that is stored with the stage's conversion reversed.
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
      + comparison.problems.map(\.sentence)
    return .impossible(
      reasons.isEmpty ? ["a rule takes '\(older.name.text)', and no rule can be turned around"] : reasons)
  }
}

extension ShapeComparison {
  /// Whether every payload can be converted, and then has the wanted shape.
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
  /// Whether a program that knows only the two shapes matches the same fields as the stage.
  ///
  /// If a rule makes the newer record, the bridge promises that fields with the same name are the same field.
  fileprivate func agrees(with crossing: RecordCrossing) -> Bool {
    guard case .converted(_, let comparison) = crossing else { return true }
    return !comparison.movesFields && comparison.matches == matches
  }
}
