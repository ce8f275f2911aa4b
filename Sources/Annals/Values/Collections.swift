extension Array: StoredValue where Element: StoredValue {
  /// An array.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .list(Element.shape(in: &types)) }

  /// Reads the elements.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = []
    for _ in 0..<(try reader.beginList()) { append(try Element(from: &reader)) }
    reader.leave()
  }

  /// Writes the elements.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.beginList(count)
    for element in self { try element.encode(into: &writer) }
    writer.leave()
  }
}
