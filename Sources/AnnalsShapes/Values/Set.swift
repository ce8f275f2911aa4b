public import AnnalsCoding

extension Set: StoredValue where Element: StoredValue {
  /// An array without repetitions.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .set(Element.shape(in: &types)) }

  /// Reads the elements, which must be in the order of their encoded bytes.
  ///
  /// - Throws: ``CodingFailure`` also for elements that are equal but encoded differently, because the set
  ///   has only one of them.
  @inlinable
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = []
    var previous = 0..<0
    for _ in 0..<(try reader.beginList()) {
      let start = reader.offset
      let element = try Element(from: &reader)
      try reader.checkOrder(from: start, after: &previous)
      guard insert(element).inserted else { throw CodingFailure(.duplicateKey, at: start) }
    }
    reader.leave()
  }

  /// Writes the elements in the order of their encoded bytes.
  @inlinable
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.beginList(count)
    var order = writer.order()
    for element in self {
      try element.encode(into: &writer)
      writer.endKey(&order)
      writer.endValue(&order)
    }
    try writer.sort(order)
    writer.leave()
  }
}
