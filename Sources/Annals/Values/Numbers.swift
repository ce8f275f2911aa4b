extension Bool: StoredValue {
  /// A truth value.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .bool }

  /// Reads false or true.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.bool()
  }

  /// Writes the value.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.bool(self)
  }
}

extension Double: StoredValue {
  /// A double-precision number.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .double }

  /// Reads a number.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.double()
  }

  /// Writes the number in the shortest form that keeps its bits.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.double(self)
  }
}
