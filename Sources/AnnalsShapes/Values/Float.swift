public import AnnalsCoding

extension Float: StoredValue {
  /// A single-precision number.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .float }

  /// Reads a number, bit for bit.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.float()
  }

  /// Writes the number in the shortest form that keeps its bits.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.float(self)
  }
}
