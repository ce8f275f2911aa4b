public import AnnalsCoding

extension Position: StoredValue {
  /// An unsigned integer.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { UInt64.shape(in: &types) }

  /// Reads the number.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self.init(try UInt64(from: &reader))
  }

  /// Writes the number.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try rawValue.encode(into: &writer)
  }
}
