public import AnnalsCoding

extension Optional: StoredValue where Wrapped: StoredValue {
  /// A value or null.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .optional(Wrapped.shape(in: &types)) }

  /// Reads a value or null.
  @inlinable
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.isNull() ? nil : Wrapped(from: &reader)
  }

  /// Writes the value or null.
  ///
  /// - Throws: ``CodingFailure`` with reason `refused` if the value itself is written as null, as a nested
  ///   optional may be: it would be read as `nil`.
  @inlinable
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    guard let value = self else { return writer.null() }
    let start = writer.offset
    try value.encode(into: &writer)
    try writer.refuseNull(at: start)
  }
}
