internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes

/// A plan for converting all rows of an earlier version of a projection to the current one, without the log.
struct RowCarrying: Sendable {
  /// The conversion of the rows of one table.
  enum Step: Sendable {
    /// The rows are read as rows of a table of the current version.
    case carry(table: Int, Conversion?)
    /// A rule converts the rows.
    case rule(RowUpcast)
  }

  /// The step for each space of rows. Secondary keys are rebuilt.
  let steps: [UInt8: Step]

  /// Plans a copy of all rows of the same version.
  init(same outline: ProjectionOutline) {
    var steps: [UInt8: Step] = [:]
    for (table, space) in outline.spaces.enumerated() { steps[space] = .carry(table: table, nil) }
    self.steps = steps
  }

  /// Plans the conversion. Returns `nil` if the projection has no rule for the version, if a table cannot be
  /// converted, or if no stored table leads to one of the current tables.
  ///
  /// - Parameters:
  ///   - version: The version that stored the rows.
  ///   - stored: The tables of that version.
  init?(_ outline: ProjectionOutline, _ upcasts: [RowUpcast], from version: Int, _ stored: StoredProjection) {
    let rules = upcasts.filter { $0.version == version }
    if rules.isEmpty { return nil }
    var steps: [UInt8: Step] = [:]
    var reached: Set<Int> = []
    for table in stored.tables {
      if let rule = rules.first(where: { ExactText($0.name) == ExactText(table.name) }) {
        guard rule.shape == table.shape, let index = outline.table(of: rule.to) else { return nil }
        steps[table.space] = .rule(rule)
        reached.insert(index)
        continue
      }
      guard let index = outline.tables.firstIndex(where: { ExactText($0.name) == ExactText(table.name) })
      else { return nil }
      reached.insert(index)
      switch (table.shape, outline.tables[index].shape) {
      case (nil, nil): steps[table.space] = .carry(table: index, nil)
      case (let from?, let to?):
        guard let conversion = ShapeComparison(from: from.shape, to: to.shape).conversion else { return nil }
        steps[table.space] = .carry(table: index, conversion.isSame ? nil : conversion)
      default: return nil
      }
    }
    // Only the log has the rows of a table that the earlier version lacked.
    guard reached.count == outline.tables.count else { return nil }
    self.steps = steps
  }
}
