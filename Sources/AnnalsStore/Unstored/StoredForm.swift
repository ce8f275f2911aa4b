package import AnnalsCoding
package import AnnalsSchema
package import AnnalsShapes

/// A payload and its record type, version and shape.
package struct StoredForm: Hashable, Sendable {
  package let kind: RecordKind
  /// The payload.
  package let payload: [UInt8]

  init(kind: RecordKind, payload: [UInt8]) {
    self.kind = kind
    self.payload = payload
  }

  /// Creates a payload of the record type called `type`.
  ///
  /// - Parameters:
  ///   - shape: The text of the payload's shape; `nil` if it is stored by name.
  /// - Throws: ``AnnalsError`` with code `malformed` if the text is no valid shape.
  package init(
    type: String, version: SchemaVersion, shape: String?, payload: [UInt8]
  ) throws(AnnalsError) {
    var stored: StoredShape?
    if let shape {
      do throws(ShapeFailure) { stored = StoredShape(try RecordShape(parsing: shape)) } catch {
        throw AnnalsError(
          .malformed, "the shape of '\(type)' cannot be read: \(error)",
          details: AnnalsError.Details {
            $0.type = type
            $0.version = version
            $0.offset = error.offset
          })
      }
    }
    self.init(kind: RecordKind(type: ExactText(type), version: version, shape: stored), payload: payload)
  }

  /// Creates the payload of `record` as the schema `Schema` stores it.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` if a value of the record has no encoding.
  package init<Schema: VersionedSchema>(_ record: some Record, in schema: Schema.Type) throws(AnnalsError) {
    let type = Swift.type(of: record)
    var payload: [UInt8] = []
    do throws(CodingFailure) { try record.encode(into: &payload) } catch {
      throw AnnalsError(malformed: error, what: "a '\(type.recordName)'")
    }
    self.init(
      kind: RecordKind(
        type: ExactText(type.recordName), version: Schema.version,
        shape: type.recordShape.map { StoredShape($0) }, stability: Schema.stability),
      payload: payload)
  }

  /// Returns the same payload by name.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` if the payload does not match its shape.
  package func named() throws(AnnalsError) -> StoredForm {
    guard let shape = kind.shape else { return self }
    var named: [UInt8] = []
    do throws(CodingFailure) { try shape.names.write(payload.span, to: &named) } catch {
      throw AnnalsError(malformed: error, what: "a '\(type)'")
    }
    return StoredForm(kind: RecordKind(type: kind.type, version: kind.version), payload: named)
  }

  /// The name on disk of the record type.
  package var type: String { kind.type.text }
  /// The version; `nil` for none.
  package var version: SchemaVersion? { kind.version }
  /// The shape of the payload; `nil` if it is stored by name.
  package var shape: RecordShape? { kind.shape?.shape }
}
