/// A shape with its text and fingerprint, as a store keeps them beside a kind.
final class StoredShape: Sendable {
  /// The shape.
  let shape: RecordShape
  /// Its text.
  let text: String
  /// The SHA-256 of its text.
  let fingerprint: [UInt8]
  /// How payloads of the shape are written and read by name.
  let names: NamedForm

  /// Works out text and fingerprint.
  init(_ shape: RecordShape) {
    self.shape = shape
    text = shape.text
    fingerprint = shape.fingerprint
    names = NamedForm(shape)
  }

  /// Reads what a row says; `nil` for payloads by name.
  ///
  /// - Throws: ``FormatFailure`` where the text is no shape, or not the one of the fingerprint.
  convenience init?(_ row: KindRow.Shape) throws(FormatFailure) {
    guard case .declared(let fingerprint, let text) = row else { return nil }
    let shape: RecordShape
    do throws(ShapeFailure) { shape = try RecordShape(parsing: text) } catch {
      throw FormatFailure(.shape, at: error.offset)
    }
    // No plan with such a shape opens a store, so none was stored.
    guard shape.problems().isEmpty else { throw FormatFailure(.shape, at: 0) }
    self.init(shape)
    guard self.fingerprint == fingerprint else { throw FormatFailure(.shape, at: 0) }
  }

  /// What a row says.
  var row: KindRow.Shape { .declared(fingerprint: fingerprint, text: text) }
}

extension StoredShape: Hashable {
  /// Whether the shapes are the same; fingerprints tell.
  static func == (left: StoredShape, right: StoredShape) -> Bool {
    left === right || left.fingerprint == right.fingerprint
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(fingerprint)
  }
}
