public import AnnalsCoding

extension Bool: StoredValue {
  /// A Boolean.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .bool }

  /// Reads false or true.
  @inlinable
  @inline(__always)
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.bool()
  }

  /// Writes the value.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.bool(self)
  }
}
