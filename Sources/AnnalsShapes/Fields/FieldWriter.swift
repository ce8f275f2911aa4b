public import AnnalsCoding

/// A writer of the values of a payload, in order.
public struct FieldWriter: ~Copyable {
  /// The bytes written so far, after the initial ones.
  var bytes: [UInt8]
  /// The number of records, cases and collections around the next value.
  private(set) var depth = 0

  /// Creates a writer that appends to `bytes`.
  @usableFromInline
  package init(continuing bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  /// The offset of the next value, in bytes from the beginning of the output.
  @usableFromInline
  var offset: Int { bytes.count }

  /// Writes the value of the next field.
  @inlinable
  @inline(__always)
  public mutating func field<Value: StoredValue>(_ value: Value) throws(CodingFailure) {
    try value.encode(into: &self)
  }

  /// Writes the value of the next field, whose type has no shape, by name.
  ///
  /// - Throws: ``CodingFailure`` with reason `refused` if an optional is not `nil` but its value writes null,
  ///   because it would be read as `nil`; and if the value's own code throws.
  @_disfavoredOverload
  public mutating func field<Value: Codable & Sendable>(_ value: Value) throws(CodingFailure) {
    let start = bytes.count
    try PayloadEncoder.encode(value, into: &bytes, path: nil, depth: depth)
    guard let optional = value as? any Nullable, !optional.isNull else { return }
    try refuseNull(at: start)
  }

  /// Enters a record of `count` fields.
  public mutating func begin(_ count: Int) throws(CodingFailure) {
    try enter()
    bytes.appendHead(.array, UInt64(count))
  }

  /// Leaves the record or case that was entered last.
  public mutating func leave() {
    depth &-= 1
  }

  /// Enters the case numbered `number`, which has `count` values.
  public mutating func choice(_ number: Int, holding count: Int = 0) throws(CodingFailure) {
    if count > 0 {
      try enter()
      bytes.appendHead(.array, UInt64(count) + 1)
    } else {
      // A case without values is a number, which contains nothing: it adds no depth.
      depth &+= 1
    }
    bytes.appendHead(.unsigned, UInt64(number))
  }

  /// Enters an array or a map.
  mutating func enter() throws(CodingFailure) {
    guard depth < CBOR.typedDepthLimit else { throw CodingFailure(.tooDeep, at: bytes.count) }
    depth &+= 1
  }

  /// Refuses a value that is not `nil` but was written as null from `start` on.
  @usableFromInline
  func refuseNull(at start: Int) throws(CodingFailure) {
    guard start < bytes.count, bytes[start] == 0xf6 else { return }
    throw CodingFailure(.refused, at: start, detail: "an optional holds a value that is written as null")
  }

  /// The bytes.
  @usableFromInline
  package consuming func finish() -> [UInt8] {
    bytes
  }
}

/// A type with a value that is written as null: an optional of any type.
protocol Nullable {
  /// Whether this is that value.
  var isNull: Bool { get }
}

extension Optional: Nullable {
  var isNull: Bool { self == nil }
}
