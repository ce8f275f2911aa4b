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

  /// Computes text and fingerprint.
  package init(_ shape: RecordShape) {
    self.shape = shape
    text = shape.text
    fingerprint = shape.fingerprint
    names = NamedForm(shape)
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
