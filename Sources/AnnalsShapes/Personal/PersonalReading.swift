internal import AnnalsCoding

/// How a record of a plan takes the personal values of payloads that have another shape.
///
/// The replacement of a dropped value is declared with the field that reads it, in that field's type.
package struct PersonalReading: Sendable {
  /// The value that readers get in place of one whose key was dropped.
  package enum Replacement: Sendable {
    /// Nothing reads the field.
    case ignored
    /// This value, in the place of the stored one.
    case value([UInt8])
    /// This value of another type than the stored one.
    case retyped([UInt8])
    /// The field that reads it declares none.
    case missing
  }

  /// The replacements of the stored shape's personal fields.
  package private(set) var replacements: [Replacement] = []
  private let stored: RecordShape
  private let wanted: RecordShape
  private let direction: ShapeComparison.Direction
  private let drafts: DraftRoots?
  /// For each stored field, the number of the field that reads it.
  private let readers: [Int?]

  /// Finds the fields that read the personal ones.
  ///
  /// - Parameters:
  ///   - form: The personal fields of the stored shape.
  ///   - stored: The shape of the payloads.
  ///   - declared: The shape of the record that reads them, with the replacements.
  ///   - isNewer: Whether the stored shape is the newer one.
  ///   - drafts: What the two shapes have in common if they are drafts of one version.
  package init(
    _ form: PersonalForm, _ stored: StoredShape, as declared: StoredShape, isNewer: Bool,
    drafts: DraftRoots? = nil
  ) {
    self.drafts = drafts
    self.stored = stored.shape
    wanted = declared.shape
    direction = isNewer ? .downgrade : .upgrade
    readers =
      stored == declared
      ? Array(wanted.fields.indices) : Self.readers(of: stored.shape, in: wanted, direction, drafts)
    for field in form.fields {
      guard let number = readers[field.index] else {
        replacements.append(.ignored)
        continue
      }
      let reader = wanted.fields[number]
      let isOptional = if case .optional = reader.shape { true } else { false }
      guard let value = reader.replacement ?? (isOptional ? [PersonalForm.null] : nil) else {
        replacements.append(.missing)
        continue
      }
      let isSameType = reader.shape.required == self.stored.fields[field.index].shape.required
      replacements.append(isSameType ? .value(value) : .retyped(value))
    }
  }

  private static func readers(
    of stored: RecordShape, in wanted: RecordShape, _ direction: ShapeComparison.Direction,
    _ drafts: DraftRoots?
  ) -> [Int?] {
    let comparison = ShapeComparison(from: stored, to: wanted, direction: direction, drafts: drafts)
    if direction == .downgrade { return comparison.olderFields(wanted, stored) }
    var readers = stored.fields.map { _ in Int?.none }
    for (number, partner) in comparison.olderFields(stored, wanted).enumerated() {
      if let partner { readers[partner] = number }
    }
    return readers
  }

  /// Returns the conversion of payloads in which these stored fields have values of the type that reads them.
  package func conversion(retyping fields: [Int]) -> Conversion? {
    var shapes = stored.fields
    for number in fields {
      guard let reader = readers[number] else { continue }
      let field = shapes[number]
      shapes[number] = FieldShape(
        field.name, originalName: field.originalName, wanted.fields[reader].shape, subject: field.subject)
    }
    return ShapeComparison(
      from: RecordShape(shapes), to: wanted, direction: direction, drafts: drafts
    ).conversion
  }
}
