public import AnnalsCoding

/// A reader of the values of a payload, in order, from borrowed bytes.
///
/// For invalid bytes, it throws and never traps. It uses memory in proportion to the bytes.
public struct FieldReader: ~Copyable, ~Escapable {
  /// The bytes, and the offset of the next value.
  @usableFromInline var reader: CBORReader
  /// The number of records, cases and collections around the next value.
  @usableFromInline var depth = 0
  /// The number of values of the case that was entered last.
  private var held = 0

  @_lifetime(copy bytes)
  @inlinable
  package init(_ bytes: Span<UInt8>) {
    reader = CBORReader(bytes)
  }

  /// The offset of the next value, in bytes from the beginning of the payload.
  @usableFromInline
  var offset: Int { reader.offset }

  /// Reads the value of the next field.
  @inlinable
  @inline(__always)
  public mutating func field<Value: StoredValue>() throws(CodingFailure) -> Value {
    try Value(from: &self)
  }

  /// Reads the value of the next field, whose type has no shape, by name.
  @_disfavoredOverload
  public mutating func field<Value: Codable & Sendable>() throws(CodingFailure) -> Value {
    let start = reader.offset
    try reader.checkItem(depth: depth &+ CBOR.levelsOfNames)
    let item = DecodingItem(bytes: reader.copy(start..<reader.offset), offset: 0, parent: nil, step: nil)
    do throws(CodingFailure) {
      return try item.decode(Value.self)
    } catch {
      throw error.moved(by: start, under: [])
    }
  }

  /// Enters a record of `count` fields.
  @inlinable
  public mutating func begin(_ count: Int) throws(CodingFailure) {
    // Nearly every record has fewer fields than that, and then its head is one byte.
    if count < 24, reader.offset < reader.bytes.count, depth < CBOR.typedDepthLimit,
      reader.bytes[reader.offset] == 0x80 | UInt8(truncatingIfNeeded: count)
    {
      reader.offset &+= 1
      depth &+= 1
      return
    }
    try beginLong(count)
  }

  @usableFromInline
  mutating func beginLong(_ count: Int) throws(CodingFailure) {
    let start = reader.offset
    let found = try head(.array, "an array of fields")
    guard found == UInt64(count) else {
      throw CodingFailure(.wrongType, at: start, detail: "\(count) fields wanted")
    }
    try enter(at: start)
  }

  /// Leaves the record or case that was entered last.
  @inlinable
  public mutating func leave() {
    depth &-= 1
  }

  /// Enters a case.
  ///
  /// - Returns: Its number.
  public mutating func choice() throws(CodingFailure) -> Int {
    let start = reader.offset
    held = 0
    if reader.offset < reader.bytes.count, reader.bytes[reader.offset] >> 5 == CBORHead.Major.array.rawValue {
      let count = try head(.array, "a case")
      guard count >= 2 else {
        throw CodingFailure(.wrongType, at: start, detail: "a case and its values wanted")
      }
      held = try reader.count(count) &- 1
      try enter(at: start)
    } else {
      // A case without values is a number, which contains nothing: it adds no depth.
      depth &+= 1
    }
    let place = reader.offset
    guard let number = Int(exactly: try head(.unsigned, "the number of a case")) else {
      throw CodingFailure(.outOfRange, at: place, detail: "the number of a case wanted")
    }
    return number
  }

  /// Checks that the entered case has `count` values.
  public func holds(_ count: Int) throws(CodingFailure) {
    guard held == count else {
      throw CodingFailure(.wrongType, at: reader.offset, detail: "a case with \(count) values wanted")
    }
  }

  /// Returns the error for a case with a number that the type does not have.
  public func unknownCase() -> CodingFailure {
    CodingFailure(.outOfRange, at: reader.offset, detail: "the type has no case of this number")
  }

  /// Enters the array or map that began at `start`.
  @inline(__always)
  mutating func enter(at start: Int) throws(CodingFailure) {
    guard depth < CBOR.typedDepthLimit else { throw CodingFailure(.tooDeep, at: start) }
    depth &+= 1
  }

  /// Refuses bytes after the last value.
  @inlinable
  package func end() throws(CodingFailure) {
    try reader.finish()
  }
}
