/// The encoder for a type's `encode(to:)`, which writes into one node.
struct NodeEncoder: Encoder {
  let node: EncodingNode

  var codingPath: [any CodingKey] { CodingPath.codingKeys(node.path) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginMap()
    return KeyedEncodingContainer(KeyedNodeContainer<Key>(node: node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return UnkeyedNodeContainer(node: node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleNodeContainer(node: node)
  }
}

extension [UInt8] {
  /// Appends a whole number of any width; refuses one beyond 64 bits and a sign.
  fileprivate mutating func append(_ number: some BinaryInteger, at path: CodingPath?) throws(CodingFailure) {
    if let number = UInt64(exactly: number) {
      appendHead(.unsigned, number)
    } else if number < 0, let number = UInt64(exactly: ~number) {
      appendHead(.negative, number)
    } else {
      throw CodingFailure(.outOfRange, at: count, path: CodingPath.keys(path))
    }
  }
}

private struct KeyedNodeContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodingNode

  var codingPath: [any CodingKey] { CodingPath.codingKeys(node.path) }

  private func integer(_ number: some BinaryInteger, _ key: Key) throws {
    let name = key.stringValue
    try node.pair(name) { (bytes) throws(CodingFailure) in
      if let number = Int64(exactly: number) {
        bytes.appendInteger(number)
      } else {
        try bytes.append(number, at: node.path(.key(name)))
      }
    }
  }

  func encodeNil(forKey key: Key) throws { try node.pair(key.stringValue) { $0.appendNull() } }
  func encode(_ value: Bool, forKey key: Key) throws {
    try node.pair(key.stringValue) { $0.appendBool(value) }
  }
  func encode(_ value: String, forKey key: Key) throws {
    try node.pair(key.stringValue) { $0.appendText(value) }
  }
  func encode(_ value: Double, forKey key: Key) throws {
    try node.pair(key.stringValue) { $0.appendDouble(value) }
  }
  func encode(_ value: Float, forKey key: Key) throws {
    try node.pair(key.stringValue) { $0.appendFloat(value) }
  }
  func encode(_ value: Int, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int8, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int16, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int32, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int64, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: Int128, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt8, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt16, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt32, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt64, forKey key: Key) throws { try integer(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try integer(value, key) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    let name = key.stringValue
    try node.pair(name) { (bytes) throws(CodingFailure) in
      try PayloadEncoder.encode(value, into: &bytes, path: node.path(.key(name)), depth: node.depth + 1)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    NodeEncoder(node: node.openPair(key.stringValue)).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    NodeEncoder(node: node.openPair(key.stringValue)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { NodeEncoder(node: node.openPair("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { NodeEncoder(node: node.openPair(key.stringValue)) }
}

private struct UnkeyedNodeContainer: UnkeyedEncodingContainer {
  let node: EncodingNode

  var codingPath: [any CodingKey] { CodingPath.codingKeys(node.path) }
  var count: Int { node.count }

  private func integer(_ number: some BinaryInteger) throws {
    try node.element { (bytes) throws(CodingFailure) in
      try bytes.append(number, at: node.path(.index(node.count)))
    }
  }

  func encodeNil() throws { try node.element { $0.appendNull() } }
  func encode(_ value: Bool) throws { try node.element { $0.appendBool(value) } }
  func encode(_ value: String) throws { try node.element { $0.appendText(value) } }
  func encode(_ value: Double) throws { try node.element { $0.appendDouble(value) } }
  func encode(_ value: Float) throws { try node.element { $0.appendFloat(value) } }
  func encode(_ value: Int) throws { try integer(value) }
  func encode(_ value: Int8) throws { try integer(value) }
  func encode(_ value: Int16) throws { try integer(value) }
  func encode(_ value: Int32) throws { try integer(value) }
  func encode(_ value: Int64) throws { try integer(value) }
  func encode(_ value: Int128) throws { try integer(value) }
  func encode(_ value: UInt) throws { try integer(value) }
  func encode(_ value: UInt8) throws { try integer(value) }
  func encode(_ value: UInt16) throws { try integer(value) }
  func encode(_ value: UInt32) throws { try integer(value) }
  func encode(_ value: UInt64) throws { try integer(value) }
  func encode(_ value: UInt128) throws { try integer(value) }

  func encode(_ value: some Encodable) throws {
    try node.element { (bytes) throws(CodingFailure) in
      try PayloadEncoder.encode(
        value, into: &bytes, path: node.path(.index(node.count)), depth: node.depth + 1)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<
    NestedKey
  > {
    NodeEncoder(node: node.openElement()).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    NodeEncoder(node: node.openElement()).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { NodeEncoder(node: node.openElement()) }
}

private struct SingleNodeContainer: SingleValueEncodingContainer {
  let node: EncodingNode

  var codingPath: [any CodingKey] { CodingPath.codingKeys(node.path) }

  private func integer(_ number: some BinaryInteger) throws {
    try node.single { (bytes) throws(CodingFailure) in try bytes.append(number, at: node.path) }
  }

  func encodeNil() throws { try node.single { $0.appendNull() } }
  func encode(_ value: Bool) throws { try node.single { $0.appendBool(value) } }
  func encode(_ value: String) throws { try node.single { $0.appendText(value) } }
  func encode(_ value: Double) throws { try node.single { $0.appendDouble(value) } }
  func encode(_ value: Float) throws { try node.single { $0.appendFloat(value) } }
  func encode(_ value: Int) throws { try integer(value) }
  func encode(_ value: Int8) throws { try integer(value) }
  func encode(_ value: Int16) throws { try integer(value) }
  func encode(_ value: Int32) throws { try integer(value) }
  func encode(_ value: Int64) throws { try integer(value) }
  func encode(_ value: Int128) throws { try integer(value) }
  func encode(_ value: UInt) throws { try integer(value) }
  func encode(_ value: UInt8) throws { try integer(value) }
  func encode(_ value: UInt16) throws { try integer(value) }
  func encode(_ value: UInt32) throws { try integer(value) }
  func encode(_ value: UInt64) throws { try integer(value) }
  func encode(_ value: UInt128) throws { try integer(value) }

  func encode(_ value: some Encodable) throws {
    try node.single { (bytes) throws(CodingFailure) in
      // The same value through another type: it adds no depth.
      try PayloadEncoder.encode(value, into: &bytes, path: node.path, depth: node.depth)
    }
  }
}
