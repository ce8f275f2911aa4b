internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes

/// A plan for converting all rows of an earlier version of a projection to the current one, without the log.
struct RowCarrying: Sendable {
  /// What becomes of the rows of one table.
  enum Step: Sendable {
    /// They are those of a table of the current version.
    case carry(table: Int)
    /// Rules convert them, each for itself and in this order.
    case rules([RowUpcast])
  }

  /// The step for each space of rows. Secondary keys are rebuilt.
  let steps: [UInt8: Step]

  /// Plans a copy of all rows of the same version.
  init(same outline: ProjectionOutline) {
    var steps: [UInt8: Step] = [:]
    for (table, space) in outline.spaces.enumerated() { steps[space] = .carry(table: table) }
    self.steps = steps
  }

  /// Plans the conversion. Returns `nil` if only the log has all rows:
  ///
  /// - The projection has no rule for the version, or one for a table that the version did not store.
  /// - A table is neither named in a rule nor unchanged under its name.
  /// - No stored table leads to one of the current tables.
  ///
  /// - Parameters:
  ///   - version: The version that stored the rows.
  ///   - stored: The tables of that version.
  init?(_ outline: ProjectionOutline, _ upcasts: [RowUpcast], from version: Int, _ stored: StoredProjection) {
    let rules = upcasts.filter { $0.version == version }
    guard !rules.isEmpty, rules.allSatisfy({ stored.table($0.name) != nil }) else { return nil }
    var steps: [UInt8: Step] = [:]
    var reached: Set<Int> = []
    for table in stored.tables {
      let own = rules.filter { ExactText($0.name) == ExactText(table.name) }
      for rule in own {
        guard rule.shape == table.shape, let index = outline.table(of: rule.to) else { return nil }
        reached.insert(index)
      }
      if !own.isEmpty {
        steps[table.space] = .rules(own)
        continue
      }
      // A table of another shape has values that only the log has, even if its rows can be read.
      guard let index = outline.tables.firstIndex(where: { ExactText($0.name) == ExactText(table.name) }),
        outline.tables[index].shape == table.shape
      else { return nil }
      reached.insert(index)
      steps[table.space] = .carry(table: index)
    }
    // Only the log has the rows of a table that the earlier version lacked.
    guard reached.count == outline.tables.count else { return nil }
    self.steps = steps
  }
}
