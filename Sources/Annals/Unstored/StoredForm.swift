package import AnnalsCoding
package import AnnalsSchema

/// A payload and under what it is stored.
package struct StoredForm: Hashable, Sendable {
  package let kind: RecordKind
  /// The payload.
  package let payload: [UInt8]

  init(kind: RecordKind, payload: [UInt8]) {
    self.kind = kind
    self.payload = payload
  }

  /// A payload of the record type called `type`.
  ///
  /// - Parameters:
  ///   - shape: The text of what the payload looks like; `nil` where it is stored by name.
  /// - Throws: ``AnnalsError`` with code `malformed` where the text is no shape's.
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

  /// The payload of `record` as the schema `Schema` stores it.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` where a value of the record has no encoding.
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

  /// The same payload by name.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` where the payload is not of its shape.
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
  /// What the payload looks like; `nil` where it is stored by name.
  package var shape: RecordShape? { kind.shape?.shape }
}
