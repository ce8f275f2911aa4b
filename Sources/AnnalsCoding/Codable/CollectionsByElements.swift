/// A collection that is encoded as an array in its own order, not by its `Codable` conformance.
protocol EncodableByElements {
  /// Appends the collection, whose elements are at `depth`.
  func encodeElements(into bytes: inout [UInt8], path: CodingPath?, depth: Int) throws(CodingFailure)
}

/// A collection that is decoded from such an array.
protocol DecodableByElements {
  /// Decodes the collection from `item`.
  static func decodeElements(from item: DecodingItem) throws(CodingFailure) -> Self
}

extension Set: EncodableByElements where Element: Encodable {
  func encodeElements(into bytes: inout [UInt8], path: CodingPath?, depth: Int) throws(CodingFailure) {
    bytes.appendHead(.array, UInt64(count))
    var order = KeyOrder(at: bytes.count)
    for (index, element) in enumerated() {
      let path = CodingPath(.index(index), in: path)
      try PayloadEncoder.encode(element, into: &bytes, path: path, depth: depth)
      order.endKey(in: bytes)
      order.endValue(in: bytes)
    }
    if let twice = order.sort(&bytes) {
      throw CodingFailure(.duplicateKey, at: twice, path: CodingPath.keys(path))
    }
  }
}

extension Set: DecodableByElements where Element: Decodable {
  static func decodeElements(from item: DecodingItem) throws(CodingFailure) -> Set {
    var elements: Set = []
    for element in try item.elements() {
      // Also texts that differ only in normalisation: a Set would silently keep one of them.
      guard elements.insert(try element.decode(Element.self)).inserted else {
        throw element.failure(.duplicateKey)
      }
    }
    return elements
  }
}

extension Dictionary: EncodableByElements where Key: Encodable, Value: Encodable {
  func encodeElements(into bytes: inout [UInt8], path: CodingPath?, depth: Int) throws(CodingFailure) {
    let isMap = Key.self == String.self
    bytes.appendHead(isMap ? .map : .array, UInt64(count))
    guard isMap || isEmpty || depth < CBOR.typedDepthLimit else {
      throw CodingFailure(.tooDeep, at: bytes.count, path: CodingPath.keys(path))
    }
    var order = KeyOrder(at: bytes.count)
    for (index, (key, value)) in enumerated() {
      let inner = CodingPath((key as? String).map(CodingPath.Step.key) ?? .index(index), in: path)
      if !isMap {
        bytes.appendHead(.array, 2)
      }
      try PayloadEncoder.encode(key, into: &bytes, path: inner, depth: isMap ? depth : depth + 1)
      order.endKey(in: bytes)
      try PayloadEncoder.encode(value, into: &bytes, path: inner, depth: isMap ? depth : depth + 1)
      order.endValue(in: bytes)
    }
    if let twice = order.sort(&bytes) {
      throw CodingFailure(.duplicateKey, at: twice, path: CodingPath.keys(path))
    }
  }
}

extension Dictionary: DecodableByElements where Key: Decodable, Value: Decodable {
  static func decodeElements(from item: DecodingItem) throws(CodingFailure) -> Dictionary {
    var result: Dictionary = [:]
    func insert(_ value: DecodingItem, under key: Key, at place: DecodingItem) throws(CodingFailure) {
      guard result.updateValue(try value.decode(Value.self), forKey: key) == nil else {
        throw place.failure(.duplicateKey)
      }
    }
    if Key.self == String.self {
      for pair in try item.pairs() {
        guard let key = pair.key as? Key else { throw item.failure(.wrongType) }
        try insert(pair.value, under: key, at: pair.value)
      }
    } else {
      for pair in try item.elements() {
        let parts = try pair.elements()
        guard parts.count == 2 else { throw pair.failure(.wrongType, "a pair wanted") }
        try insert(parts[1], under: try parts[0].decode(Key.self), at: pair)
      }
    }
    return result
  }
}
