internal import AnnalsCoding
internal import AnnalsShapes

/// A rule that computes some fields of a record and keeps the others, without its types.
package struct KeepOutline: Sendable {
  /// The number of the record in the newer schema.
  let target: Int
  /// The numbers of the computed fields in the record's shape; `nil` for a property that is no stored field.
  let changed: [Int?]

  /// Compares the older record with the kept fields of the newer one.
  ///
  /// - Returns: `nil` if one of the two has no shape, or if the newer one contains itself.
  func comparison(
    from old: RecordOutline, to new: RecordOutline, _ adjustments: [AdjustmentOutline]
  ) -> ShapeComparison? {
    guard let old = old.shape?.shape, let new = new.shape?.shape, !new.containsItself else { return nil }
    return ShapeComparison(
      from: old, to: kept(of: new),
      adjustments: adjustments.filter { $0.caseIndex == target }.compactMap(\.adjustment))
  }

  /// Returns the shape without the computed fields.
  private func kept(of shape: RecordShape) -> RecordShape {
    RecordShape(shape.fields.enumerated().filter { !changed.contains($0.offset) }.map(\.element))
  }

  /// The names on disk of the computed fields of `record`.
  func names(in record: RecordOutline) -> [String] {
    let fields = record.shape?.shape.fields ?? []
    return changed.compactMap { $0 }.filter(fields.indices.contains).map { fields[$0].name }
  }
}

extension RecordShape {
  /// Whether a value inside a record of this shape is such a record again.
  fileprivate var containsItself: Bool {
    // At each level, the number of records and choices between the record and the value.
    func refersOut(_ shape: ValueShape, _ level: Int) -> Bool {
      switch shape {
      case .enclosing(let distance): distance >= level
      case .optional(let inner), .list(let inner), .set(let inner): refersOut(inner, level)
      case .map(let key, let value): refersOut(key, level) || refersOut(value, level)
      case .record(let fields): fields.contains { refersOut($0.shape, level + 1) }
      case .choice(let cases): cases.contains { $0.values.contains { refersOut($0.shape, level + 1) } }
      default: false
      }
    }
    return fields.contains { refersOut($0.shape, 0) }
  }
}

extension ChainOutline {
  /// Returns the questions about fields that a `Keep` keeps: whether one was renamed.
  func keptDoubts(of number: Int, at index: Int) -> [ShapeChange] {
    let comparison = stages[index].keptComparison(of: number, from: schemas[index], to: schemas[index + 1])
    return comparison?.changes.filter { $0.kind.isDoubt } ?? []
  }
}

extension StageOutline {
  /// Returns the stage's declarations about fields of the newer record numbered `number`.
  func adjustments(of number: Int) -> [FieldAdjustment] {
    adjustments.filter { $0.caseIndex == number }.compactMap(\.adjustment)
  }

  /// Compares a record with the kept fields of the newer one; `nil` if no `Keep` takes it, or the two cannot
  /// be compared.
  func keptComparison(
    of number: Int, from: SchemaOutline, to: SchemaOutline
  ) -> ShapeComparison? {
    guard let keep = rule(for: number)?.keep, to.records.indices.contains(keep.target) else { return nil }
    return keep.comparison(from: from.records[number], to: to.records[keep.target], adjustments)
  }

  /// Returns the conversion of a record whose other fields a `Keep` computes; `nil` if there is none.
  func keptFields(of number: Int, from: SchemaOutline, to: SchemaOutline) -> KeptFields? {
    guard let keep = rule(for: number)?.keep, to.records.indices.contains(keep.target),
      from.records.indices.contains(number)
    else { return nil }
    return KeptFields(keep, keptComparison(of: number, from: from, to: to), to: to.records[keep.target])
  }
}
