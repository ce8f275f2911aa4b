/// The decoder for a type's `init(from:)`, which reads one item.
struct ItemDecoder: Decoder {
  let item: DecodingItem

  var codingPath: [any CodingKey] { CodingPath.codingKeys(item.path) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedItemContainer<Key>(item: item))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try UnkeyedItemContainer(item: item)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    SingleItemContainer(item: item)
  }
}

private struct KeyedItemContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let item: DecodingItem
  private let path: CodingPath?
  private let index: KeyIndex

  init(item: DecodingItem) throws {
    self.item = item
    self.path = item.path
    self.index = try KeyIndex(item)
  }

  var codingPath: [any CodingKey] { CodingPath.codingKeys(path) }

  var allKeys: [Key] { index.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool {
    index.value(key.stringValue) != nil
  }

  private func found(_ name: String) -> DecodingItem? {
    index.value(name).map { DecodingItem(bytes: item.bytes, offset: $0, parent: path, step: .key(name)) }
  }

  private func value(_ name: String) throws(CodingFailure) -> DecodingItem {
    guard let value = found(name) else {
      throw CodingFailure(.missingKey, at: item.offset, path: CodingPath.keys(path) + [name])
    }
    return value
  }

  private func value(_ key: Key) throws(CodingFailure) -> DecodingItem {
    try value(key.stringValue)
  }

  /// Returns the value of `key` if it exists and is not null.
  private func present(_ key: Key) -> DecodingItem? {
    guard let value = found(key.stringValue), !value.isNull else { return nil }
    return value
  }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).bool() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).text() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).double() }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).float() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).integer(type) }
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(key).integer(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).integer(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).integer(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).integer(type) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(key).integer(type) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value(key).decode(type) }

  // One search instead of the three in the protocol's default forms.
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.text() }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.double() }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.integer(type) }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try present(key)?.decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try ItemDecoder(item: value(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try ItemDecoder(item: value(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { ItemDecoder(item: try value("super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { ItemDecoder(item: try value(key)) }
}

private struct UnkeyedItemContainer: UnkeyedDecodingContainer {
  private let item: DecodingItem
  private let path: CodingPath?
  private let length: Int
  private var offset: Int
  private(set) var currentIndex = 0

  init(item: DecodingItem) throws {
    self.item = item
    self.path = item.path
    var reader = CBORReader(item.bytes.span, at: item.offset)
    let head = try reader.head()
    guard head.major == .array else { throw item.failure(.wrongType, "an array wanted") }
    self.length = try reader.count(head.argument)
    self.offset = reader.offset
  }

  var codingPath: [any CodingKey] { CodingPath.codingKeys(path) }
  var count: Int? { length }
  var isAtEnd: Bool { currentIndex >= length }

  private func current() throws(CodingFailure) -> DecodingItem {
    guard !isAtEnd else {
      let keys = CodingPath.keys(path) + [String(currentIndex)]
      throw CodingFailure(.missingKey, at: offset, path: keys, detail: "the array is shorter")
    }
    return DecodingItem(bytes: item.bytes, offset: offset, parent: path, step: .index(currentIndex))
  }

  private mutating func advance() throws(CodingFailure) {
    var reader = CBORReader(item.bytes.span, at: offset)
    try reader.skip()
    offset = reader.offset
    currentIndex += 1
  }

  /// Returns the result of `read` for the next element, which is only consumed if `read` succeeds.
  private mutating func next<T>(_ read: (DecodingItem) throws -> T) throws -> T {
    let value = try read(try current())
    try advance()
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard try current().isNull else { return false }
    try advance()
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.bool() } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.text() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.double() } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.float() } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next { try $0.integer(type) } }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next { try $0.decode(type) } }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try next { try ItemDecoder(item: $0).container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try ItemDecoder(item: $0).unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { ItemDecoder(item: $0) } }
}

private struct SingleItemContainer: SingleValueDecodingContainer {
  let item: DecodingItem

  var codingPath: [any CodingKey] { CodingPath.codingKeys(item.path) }

  func decodeNil() -> Bool { item.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try item.bool() }
  func decode(_ type: String.Type) throws -> String { try item.text() }
  func decode(_ type: Double.Type) throws -> Double { try item.double() }
  func decode(_ type: Float.Type) throws -> Float { try item.float() }
  func decode(_ type: Int.Type) throws -> Int { try item.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try item.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try item.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try item.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try item.integer(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try item.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try item.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try item.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try item.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try item.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try item.integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try item.integer(type) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try item.decode(type) }
}
