internal import AnnalsCoding
internal import AnnalsSchema

/// How all rows of an earlier version of a projection become rows of the current one, without the log.
struct RowCarrying: Sendable {
  /// What becomes of the rows of one table.
  enum Step: Sendable {
    /// They are read as rows of a table of the current version.
    case carry(table: Int, Conversion?)
    /// A rule takes them.
    case rule(RowUpcast)
  }

  /// By the space that rows stand in, what becomes of them; secondary keys are made anew.
  let steps: [UInt8: Step]

  /// Finds the way; `nil` where the projection has no rule for the version, or not every table has a way.
  ///
  /// - Parameters:
  ///   - version: The version that has stored the rows.
  ///   - stored: Its tables.
  init?(_ outline: ProjectionOutline, _ upcasts: [RowUpcast], from version: Int, _ stored: StoredProjection) {
    let rules = upcasts.filter { $0.version == version }
    if rules.isEmpty { return nil }
    var steps: [UInt8: Step] = [:]
    for table in stored.tables {
      if let rule = rules.first(where: { ExactText($0.name) == ExactText(table.name) }) {
        guard rule.shape == table.shape, outline.table(of: rule.to) != nil else { return nil }
        steps[table.space] = .rule(rule)
        continue
      }
      guard let index = outline.tables.firstIndex(where: { ExactText($0.name) == ExactText(table.name) })
      else { return nil }
      switch (table.shape, outline.tables[index].shape) {
      case (nil, nil): steps[table.space] = .carry(table: index, nil)
      case (let from?, let to?):
        guard let conversion = ShapeComparison(from: from.shape, to: to.shape).conversion else { return nil }
        steps[table.space] = .carry(table: index, conversion.isSame ? nil : conversion)
      default: return nil
      }
    }
    self.steps = steps
  }
}
