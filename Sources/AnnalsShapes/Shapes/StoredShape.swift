internal import AnnalsCoding

/// A shape with its text and fingerprint, as a store keeps them with a kind.
package final class StoredShape: Sendable {
  /// The shape.
  package let shape: RecordShape
  /// Its text.
  package let text: String
  /// The SHA-256 of its text.
  package let fingerprint: [UInt8]
  /// The form of the shape's payloads by name.
  package let names: NamedForm
  /// The personal fields; `nil` if there are none.
  package let personal: PersonalForm?
  /// The form by name of payloads as a store has them: personal values are encrypted there.
  package let storedNames: NamedForm

  /// Computes text and fingerprint.
  package init(_ shape: RecordShape) {
    self.shape = shape
    text = shape.text
    fingerprint = shape.fingerprint
    let names = NamedForm(shape)
    self.names = names
    personal = PersonalForm(shape)
    storedNames = personal == nil ? names : NamedForm(shape.stored)
  }
}

extension RecordShape {
  /// The shape of payloads as a store has them: a personal value is a choice of an encrypted value and one
  /// that is not.
  package var stored: RecordShape {
    RecordShape(
      fields.map { field in
        guard field.subject != nil else { return field }
        let sealed = ValueShape.choice([
          CaseShape("plain", [FieldShape("value", .codable)]),
          CaseShape("sealed", [FieldShape("key", .integer(.uint32)), FieldShape("box", .bytes)]),
        ])
        let isOptional = if case .optional = field.shape { true } else { false }
        return FieldShape(
          field.name, originalName: field.originalName, isOptional ? .optional(sealed) : sealed)
      })
  }
}

extension RecordShape {
  /// The shape of decrypted payloads in which the value of any personal field may be null.
  package var omittingPersonalFields: RecordShape {
    RecordShape(
      fields.map { field in
        if field.subject == nil { return field }
        if case .optional = field.shape { return field }
        return FieldShape(field.name, originalName: field.originalName, .optional(field.shape))
      })
  }
}

extension StoredShape: Hashable {
  /// Returns whether the shapes are the same, by comparing fingerprints.
  package static func == (left: StoredShape, right: StoredShape) -> Bool {
    left === right || left.fingerprint == right.fingerprint
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(fingerprint)
  }
}
