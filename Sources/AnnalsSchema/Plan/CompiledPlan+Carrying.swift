internal import AnnalsCoding
package import AnnalsShapes

extension CompiledPlan {
  /// The case of the current schema whose payloads are the ones that enter as `kind` at `entrance`, byte by
  /// byte; `nil` if anything is done to them on the way.
  ///
  /// Equal shapes alone do not say so: a rule may turn kilograms into pounds.
  package func carried(_ kind: RecordKind, from entrance: Entrance) -> Int? {
    let step = steps[entrance.step]
    guard !entrance.isNewer, kind.shape == step.shape,
      let schema = schemas.firstIndex(where: { $0.version == step.version }),
      var record = schemas[schema].index(of: ExactText(step.type))
    else { return nil }
    for crossings in crossings[schema...] {
      switch crossings[record] {
      case .carried(let next): record = next
      case .converted(let next, let comparison) where comparison.conversion?.isSame == true: record = next
      case .rule, .converted, .redeclared, .forgotten: return nil
      }
    }
    // An encrypted value is bound to the name of its record.
    guard kind.shape?.personal == nil || current.records[record].name == kind.type else { return nil }
    let shape = current.records[record].shape
    // After the pass, readers would get another replacement for the values of forgotten people.
    guard Self.replacements(shape) == Self.replacements(step.shape) else { return nil }
    return shape == kind.shape ? record : nil
  }

  /// The replacements that a shape declares for its personal fields.
  private static func replacements(_ shape: StoredShape?) -> [[UInt8]?] {
    shape?.personal?.fields.map(\.replacement) ?? []
  }
}
