extension StoredValue where Self: FixedWidthInteger {
  /// Reads a whole number that the type can hold.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.integer()
  }

  /// Writes the number.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.integer(self)
  }
}

extension Int: StoredValue {
  /// A whole number of 64 bits.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .integer(.int64) }
}
