public import AnnalsCoding

extension Double: StoredValue {
  /// A double-precision number.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .double }

  /// Reads a number, bit for bit.
  @inlinable
  @inline(__always)
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.double()
  }

  /// Writes the number in the shortest form that keeps its bits.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.double(self)
  }
}
