package import AnnalsCoding
internal import AnnalsShapes

/// The oldest version whose programs can read one record of a plan.
package struct RecordReaders: Equatable, Sendable {
  /// The version; that of the record if no older program can read it.
  package let oldest: SchemaVersion
  /// Why programs of the version before that one cannot read it; `nil` if the plan has no such version.
  let barrier: Barrier?

  /// The reason why programs of an older version cannot read a newer record.
  enum Barrier: Equatable, Sendable {
    /// The record belongs to a draft, whose stages may still change.
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
    /// A program that knows only the two shapes would mistake one field for another, or miss one.
    case fieldNames
    /// The older shape cannot be read from the newer one.
    case shape
  }
}

extension ChainOutline {
  /// Returns the oldest version of the chain whose programs read a record of one of its schemas.
  ///
  /// A program only knows a newer record's name and shape, so both must lead to the same result as the
  /// stages. From version to version, back to the program's own, no rule may take the record, and each field
  /// must be the one that the program reads it as.
  ///
  /// - Parameters:
  ///   - number: The number of the record in its schema.
  ///   - index: The number of the schema.
  /// - Complexity: O(stages · fields).
  package func readers(of number: Int, in index: Int) -> RecordReaders {
    let newest = schemas[index].records[number]
    let oldest = schemas[index].version
    guard index > 0 else { return RecordReaders(oldest: oldest, barrier: nil) }
    guard schemas[index].stability != .draft else { return RecordReaders(oldest: oldest, barrier: .draft) }
    guard let shape = newest.shape else { return RecordReaders(oldest: oldest, barrier: .byName) }
    return readers(of: shape, FieldLineage(of: shape.shape), from: number, in: index)
  }

  /// Returns whether programs of the chain's newest version read a record of a later version as their own
  /// record of that name.
  ///
  /// The plan that wrote the record found its oldest reader by going back through its own chain. Where this
  /// chain is the beginning of that one, that search came through this version with these same pairs of
  /// fields, and this one repeats the rest of it: it refuses nothing. Where the two chains went apart, they
  /// did so at `oldest` or later, and only this chain has its own stages since then. If a chain with an older
  /// version does not have `oldest`, they went apart before it, and programs of before it do not read the
  /// record.
  ///
  /// - Parameters:
  ///   - newer: The shape of the record.
  ///   - number: The number of the program's record of that name.
  ///   - oldest: The oldest version whose programs read it, says the plan that wrote it.
  func reads(_ newer: StoredShape, as number: Int, from oldest: SchemaVersion) -> Bool {
    let (index, first) = (schemas.count - 1, schemas[0].version)
    guard oldest <= first || schemas.contains(where: { $0.version == oldest }),
      let known = schemas[index].records[number].shape
    else { return false }
    var lineage = FieldLineage(of: newer.shape)
    lineage.follow(ShapeComparison(from: newer.shape, to: known.shape, direction: .downgrade).matches)
    return readers(of: newer, lineage, from: number, in: index).oldest <= max(oldest, first)
  }

  /// Returns the oldest version whose programs read a record, going back from the schema numbered `index`.
  ///
  /// - Parameters:
  ///   - shape: The shape of the record.
  ///   - lineage: The pairs of equal fields of that schema's record and the shape.
  ///   - number: The number of that schema's record.
  private func readers(
    of shape: StoredShape, _ lineage: FieldLineage, from number: Int, in index: Int
  ) -> RecordReaders {
    var (current, lineage, oldest) = (number, lineage, schemas[index].version)
    for stage in (0..<index).reversed() {
      switch step(back: current, over: stage) {
      case .barrier(let barrier): return RecordReaders(oldest: oldest, barrier: barrier)
      // A result for the version after the stage also holds for this one.
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

  /// The form of a record in the previous version.
  private enum StepBack {
    case barrier(RecordReaders.Barrier)
    /// The unchanged record of this number.
    case unchanged(Int)
    /// The record of this number, with this shape; `link` has the pairs of fields that are the same.
    case changed(Int, StoredShape, link: Set<FieldMatch>)
  }

  /// Returns the older form of a record of a stage's newer schema.
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
      // A bridge promises that programs of the previous version read its records as their own of that name.
      guard case .readable? = bridgeForms(ofStage: stage)?[number] else { return .barrier(.rule) }
      let comparison = ShapeComparison(from: shape.shape, to: known.shape, direction: .downgrade)
      return .changed(old, known, link: comparison.matches)
    case .carried, .converted, .redeclared, .forgotten: return .barrier(.otherRecord)
    }
  }
}
