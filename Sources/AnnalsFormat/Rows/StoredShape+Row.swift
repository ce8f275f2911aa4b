package import AnnalsCoding
package import AnnalsShapes

extension StoredShape {
  /// Reads the shape in a row; `nil` for payloads by name.
  ///
  /// - Throws: ``FormatFailure`` if the text is no shape, or does not match the fingerprint.
  package convenience init?(_ row: KindRow.Shape) throws(FormatFailure) {
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

  /// The shape as a row.
  package var row: KindRow.Shape { .declared(fingerprint: fingerprint, text: text) }
}
