extension Optional: StoredValue where Wrapped: StoredValue {
  /// A value or null.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .optional(Wrapped.shape(in: &types)) }

  /// Reads a value or null.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.isNull() ? nil : Wrapped(from: &reader)
  }

  /// Writes the value or null.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    if let value = self { try value.encode(into: &writer) } else { writer.null() }
  }
}
