public import AnnalsCoding

extension Dictionary: StoredValue where Key: StoredValue, Value: StoredValue {
  /// A map if the keys are texts, otherwise an array of pairs.
  public static func shape(in types: inout ShapeTypes) -> ValueShape {
    .map(Key.shape(in: &types), Value.shape(in: &types))
  }

  /// Whether keys of a type other than `String` are stored as texts; the pairs are then also those of a map.
  @usableFromInline static var hasTextKeys: Bool {
    var types = ShapeTypes()
    return Key.shape(in: &types) == .text
  }

  /// Reads the pairs, which must be in the order of their encoded keys.
  ///
  /// - Throws: ``CodingFailure`` also for keys that are equal but encoded differently, because the dictionary
  ///   has only one of them.
  @inlinable
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = [:]
    let isMap = Key.self == String.self || Self.hasTextKeys
    var previous = 0..<0
    for _ in 0..<(isMap ? try reader.beginMap() : try reader.beginList()) {
      if !isMap { try reader.begin(2) }
      let start = reader.offset
      let key = try Key(from: &reader)
      try reader.checkOrder(from: start, after: &previous)
      guard updateValue(try Value(from: &reader), forKey: key) == nil else {
        throw CodingFailure(.duplicateKey, at: start)
      }
      if !isMap { reader.leave() }
    }
    reader.leave()
  }

  /// Writes the pairs in the order of their encoded keys.
  @inlinable
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    let isMap = Key.self == String.self || Self.hasTextKeys
    if isMap { try writer.beginMap(count) } else { try writer.beginList(count) }
    var order = writer.order()
    for (key, value) in self {
      if !isMap { try writer.begin(2) }
      try key.encode(into: &writer)
      writer.endKey(&order)
      try value.encode(into: &writer)
      writer.endValue(&order)
      if !isMap { writer.leave() }
    }
    try writer.sort(order)
    writer.leave()
  }
}
