public import AnnalsCoding

extension String: StoredValue {
  /// A text.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .text }

  /// Reads a text, code point by code point: nothing is normalised.
  @inlinable
  @inline(__always)
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.text()
  }

  /// Writes the text.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    writer.text(self)
  }
}
