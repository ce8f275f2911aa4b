internal import AnnalsCoding
internal import AnnalsSchema

extension StoredShape {
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
