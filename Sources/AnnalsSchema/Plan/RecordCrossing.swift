internal import AnnalsCoding
package import AnnalsShapes

/// The conversion of the records of one type in one stage.
package enum RecordCrossing: Sendable {
  /// A rule takes them.
  case rule(RuleEffect)
  /// They are unchanged: records of this number in the newer schema.
  case carried(to: Int)
  /// They are read as records of this number in the newer schema, which has another type.
  case converted(to: Int, ShapeComparison)
  /// The newer schema has another type at this number, and one of the two types has no shape.
  case redeclared(as: Int)
  /// The newer schema has no such record.
  case forgotten

  /// Whether a rule keeps them as they are stored.
  var isRetained: Bool { if case .rule(.retained) = self { true } else { false } }

  /// Whether a rule delivers nothing for them, regardless of their content.
  var givesNothing: Bool {
    switch self {
    case .rule(.nothing), .rule(.retained): true
    case .rule, .carried, .converted, .redeclared, .forgotten: false
    }
  }

  /// The conversion of payloads to the newer schema without a rule; `nil` if a rule is needed.
  package var conversion: (to: Int, Conversion)? {
    switch self {
    case .carried(let index): (index, .same)
    case .converted(let index, let comparison): comparison.conversion.map { (index, $0) }
    case .rule, .redeclared, .forgotten: nil
    }
  }
}

extension StageOutline {
  /// Returns the conversion of each record of `from`.
  func crossings(from: SchemaOutline, to: SchemaOutline) -> [RecordCrossing] {
    from.records.enumerated().map { number, record in
      if let rule = rule(for: number) { return .rule(rule.effect) }
      guard let index = to.index(following: record.name) else { return .forgotten }
      let newer = to.records[index]
      if newer.type == record.type { return .carried(to: index) }
      guard let old = record.shape, let new = newer.shape else { return .redeclared(as: index) }
      let adjustments = self.adjustments.filter { $0.caseIndex == index }.compactMap(\.adjustment)
      return .converted(
        to: index, ShapeComparison(from: old.shape, to: new.shape, adjustments: adjustments))
    }
  }
}
