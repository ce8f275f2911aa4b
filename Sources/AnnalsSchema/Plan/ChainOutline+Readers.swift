package import AnnalsCoding

/// The oldest version whose programs read what a plan stores as one of its records.
package struct RecordReaders: Equatable, Sendable {
  /// The version; that of the record where no older program reads it.
  package let oldest: SchemaVersion
  /// Why programs of the version before that one do not; `nil` where the plan has none.
  let barrier: Barrier?

  /// What keeps programs of an older version from reading a newer record.
  enum Barrier: Equatable, Sendable {
    /// The record is of a draft, whose stages may still change.
    case draft
    /// The older version has no record of that name, or the record of that name became another one.
    case otherRecord
    /// A rule takes the older record of that name.
    case rule
    /// One of the two is stored by name.
    case byName
    /// Entries move to other streams.
    case streams
    /// The stage moves fields into or out of a part of the record.
    case movedFields
    /// A program that knows two shapes alone would take one field for another, or miss one.
    case fieldNames
    /// The older shape cannot be filled from the newer one.
    case shape
  }
}

extension ChainOutline {
  /// The oldest version of the chain whose programs read records that are stored as a record of one of its
  /// schemas.
  ///
  /// A program knows of a newer record no more than its name and shape, so that the two must lead to what the
  /// stages say: from version to version back to its own,
  /// no rule takes the record, and each of its fields is the one that the program takes it for.
  ///
  /// - Parameters:
  ///   - number: The number of the record in its schema.
  ///   - index: The number of the schema.
  /// - Complexity: O(stages · fields).
  package func readers(of number: Int, in index: Int) -> RecordReaders {
    let newest = schemas[index].records[number]
    var oldest = schemas[index].version
    guard index > 0 else { return RecordReaders(oldest: oldest, barrier: nil) }
    guard schemas[index].stability != .draft else { return RecordReaders(oldest: oldest, barrier: .draft) }
    guard let shape = newest.shape else { return RecordReaders(oldest: oldest, barrier: .byName) }
    var (current, lineage) = (number, FieldLineage(of: shape.shape))
    for stage in (0..<index).reversed() {
      switch step(back: current, over: stage) {
      case .barrier(let barrier): return RecordReaders(oldest: oldest, barrier: barrier)
      // What was true of the version behind the stage is true of this one.
      case .unchanged(let older): current = older
      case .changed(let older, let known, let link):
        lineage.follow(link)
        let comparison = ShapeComparison(from: shape.shape, to: known.shape, direction: .downgrade)
        guard comparison.matches == lineage.matches else {
          return RecordReaders(oldest: oldest, barrier: .fieldNames)
        }
        guard comparison.conversion != nil else { return RecordReaders(oldest: oldest, barrier: .shape) }
        current = older
      }
      oldest = schemas[stage].version
    }
    return RecordReaders(oldest: oldest, barrier: nil)
  }

  /// What a record was in the version before.
  private enum StepBack {
    case barrier(RecordReaders.Barrier)
    /// The record of this number, as it is.
    case unchanged(Int)
    /// The record of this number, of this shape; `link` has the fields that are one.
    case changed(Int, StoredShape, link: Set<FieldMatch>)
  }

  /// Goes from a record of the newer schema of a stage to the one that it was.
  private func step(back number: Int, over stage: Int) -> StepBack {
    if stages[stage].movesStreams { return .barrier(.streams) }
    let newer = schemas[stage + 1].records[number]
    guard let old = schemas[stage].index(of: newer.name) else { return .barrier(.otherRecord) }
    guard let shape = newer.shape, let known = schemas[stage].records[old].shape else {
      return .barrier(.byName)
    }
    switch crossings[stage][old] {
    case .carried(to: number): return .unchanged(old)
    case .converted(to: number, let comparison):
      if comparison.movesFields { return .barrier(.movedFields) }
      guard comparison.conversion != nil else { return .barrier(.shape) }
      return .changed(old, known, link: comparison.matches)
    case .rule:
      // A bridge promises that programs of the version before read its records as their own of that name.
      guard case .readable? = bridgeForms(ofStage: stage)?[number] else { return .barrier(.rule) }
      let comparison = ShapeComparison(from: shape.shape, to: known.shape, direction: .downgrade)
      return .changed(old, known, link: comparison.matches)
    case .carried, .converted, .redeclared, .forgotten: return .barrier(.otherRecord)
    }
  }
}
