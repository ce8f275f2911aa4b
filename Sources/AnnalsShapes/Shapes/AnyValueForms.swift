internal import AnnalsCoding

/// The conversions between values of an older shape and the ``AnyValue`` that a newer shape has in their
/// place.
struct AnyValueForms {
  /// The form by name of the older shape, once it was needed.
  private var form: NamedForm?

  /// Returns the mapping between values of the type numbered `type` of `older` and their form by name.
  ///
  /// - Parameter isUpgrade: Whether the result is the form by name.
  mutating func mapping(of type: Int, in older: ShapeGraph, isUpgrade: Bool) -> Mapping? {
    // All scalars have one form.
    if isUpgrade, case .scalar = older.nodes[type] { return .same }
    guard case .record(let fields) = older.shapes.first else { return nil }
    let form = self.form ?? NamedForm(RecordShape(fields))
    self.form = form
    // The types of a form are numbered as those of the graph of its shape.
    return .named(NamedStep(form: form, type: Int32(clamping: type), writesNames: isUpgrade))
  }
}

extension ValueShape {
  /// Whether every value of the shape can become an ``AnyValue`` without a rule.
  ///
  /// An attachment would lose its file, and the output of a type's own code may hold one.
  var hasAnyForm: Bool { !mayContainAttachments }
}
