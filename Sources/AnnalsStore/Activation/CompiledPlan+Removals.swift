internal import AnnalsCoding
package import AnnalsSchema
package import AnnalsShapes

extension CompiledPlan {
  /// The declared fields that the plan removes without a rule from payloads that enter as `kind` at
  /// `entrance`; `nil` if it removes none, or drops them as a whole.
  ///
  /// What a rule does with the fields of a record is not known, so that the stages from the first rule on do
  /// not count.
  ///
  /// - Complexity: O(stages and fields).
  package func removals(_ kind: RecordKind, from entrance: Entrance) -> FieldRemovals? {
    let step = steps[entrance.step]
    guard !entrance.isNewer, let shape = step.shape, !isDropped(from: entrance),
      let schema = schemas.firstIndex(where: { $0.version == step.version }),
      var record = schemas[schema].index(of: ExactText(step.type))
    else { return nil }
    var conversions: [(version: SchemaVersion, conversion: Conversion)] = []
    if let stored = kind.shape, stored != shape,
      let draft = ShapeComparison(
        from: stored.shape, to: shape.shape, drafts: draftRoots(of: kind, at: entrance.step)
      ).conversion
    {
      conversions.append((step.version, draft))
    }
    for (stage, crossings) in crossings.enumerated().dropFirst(schema) {
      guard let (next, conversion) = crossings[record].conversion else { break }
      conversions.append((schemas[stage + 1].version, conversion))
      record = next
    }
    return FieldRemovals(kind.shape ?? shape, conversions)
  }

  /// Whether the plan drops every record that enters at `entrance`, with any content.
  func isDropped(from entrance: Entrance) -> Bool {
    let step = steps[entrance.step]
    guard let schema = schemas.firstIndex(where: { $0.version == step.version }),
      var record = schemas[schema].index(of: ExactText(step.type))
    else { return false }
    for crossings in crossings[schema...] {
      switch crossings[record] {
      case .carried(let next), .converted(let next, _): record = next
      case .rule(.nothing), .rule(.retained): return true
      case .rule, .redeclared, .forgotten: return false
      }
    }
    return false
  }
}
