public import AnnalsCoding

extension Array: StoredValue where Element: StoredValue {
  /// A byte string if the elements are `UInt8`, otherwise an array.
  public static func shape(in types: inout ShapeTypes) -> ValueShape {
    Element.self == UInt8.self ? .bytes : .list(Element.shape(in: &types))
  }

  /// Reads the elements.
  @inlinable
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    if Element.self == UInt8.self {
      let start = reader.offset
      guard let bytes = try reader.bytes() as? Self else { throw CodingFailure(.wrongType, at: start) }
      self = bytes
      return
    }
    self = []
    let count = try reader.beginList()
    reserveCapacity(reader.room(for: count, of: Element.self))
    for _ in 0..<count { append(try Element(from: &reader)) }
    reader.leave()
  }

  /// Writes the elements.
  @inlinable
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    if Element.self == UInt8.self, let bytes = self as? [UInt8] {
      writer.bytes(bytes.span)
      return
    }
    try writer.beginList(count)
    for element in self { try element.encode(into: &writer) }
    writer.leave()
  }
}
