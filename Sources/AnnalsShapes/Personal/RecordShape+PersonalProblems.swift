internal import AnnalsCoding

extension RecordShape {
  /// The problems of personal fields that the macro cannot see, each with its remedy; empty if there are
  /// none.
  package var personalProblems: [String] {
    fields.compactMap { field in
      if field.shape.hasPersonalFields {
        return
          "its field '\(field.name)' has a record with personal fields, which are encrypted only in an event of their own: make them personal fields of this record"
      }
      guard let name = field.subject else { return nil }
      guard let subject = fields.first(where: { ExactText($0.name) == ExactText(name) }) else {
        return "its personal field '\(field.name)' names '\(name)', which is no field of the record"
      }
      if subject.subject != nil {
        return
          "its personal field '\(field.name)' names '\(name)', which is personal itself: name a field with an id"
      }
      if !PersonalForm.names(subject.shape) {
        return
          "its field '\(name)' has the id of a person, and such an id is a text, a whole number, a UUID or Data"
      }
      if field.shape.hasAttachments {
        return
          "its personal field '\(field.name)' has an attachment, whose content would not be encrypted: store the attachment in a field that is not personal, or its bytes in a personal one"
      }
      if field.replacement == nil {
        return
          "its personal field '\(field.name)' has no value for readers after the key was dropped, or one that cannot be stored: write erased:"
      }
      return nil
    }
  }
}

extension ValueShape {
  /// Whether a record inside the shape has personal fields.
  fileprivate var hasPersonalFields: Bool {
    switch self {
    case .optional(let shape), .list(let shape), .set(let shape): shape.hasPersonalFields
    case .map(let key, let value): key.hasPersonalFields || value.hasPersonalFields
    case .record(let fields): fields.contains { $0.subject != nil || $0.shape.hasPersonalFields }
    case .choice(let cases): cases.contains { $0.values.contains { $0.shape.hasPersonalFields } }
    default: false
    }
  }

  /// Whether values of the shape have attachments, as far as the shape says.
  fileprivate var hasAttachments: Bool {
    switch self {
    case .optional(let shape), .list(let shape), .set(let shape): shape.hasAttachments
    case .map(let key, let value): key.hasAttachments || value.hasAttachments
    case .record(let fields): fields == Attachment.fields || fields.contains { $0.shape.hasAttachments }
    case .choice(let cases): cases.contains { $0.values.contains { $0.shape.hasAttachments } }
    default: false
    }
  }
}
