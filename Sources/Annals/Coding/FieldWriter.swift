/// Writes the values of a payload one after the other.
public struct FieldWriter: ~Copyable {
  private var bytes: [UInt8]
  private var depth = 0

  /// A writer that adds to the end of `bytes`.
  init(continuing bytes: consuming [UInt8]) {
    self.bytes = bytes
  }

  /// Writes the value of the next field.
  @inline(__always)
  public mutating func field<Value: StoredValue>(_ value: Value) throws(CodingFailure) {
    try value.encode(into: &self)
  }

  /// Writes the value of the next field, whose type has no shape, by name.
  @_disfavoredOverload
  public mutating func field<Value: Codable & Sendable>(_ value: Value) throws(CodingFailure) {
    bytes += try PayloadEncoder.encode(value)
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

  /// Enters the case numbered `number`, which holds `count` values.
  public mutating func choice(_ number: Int, holding count: Int = 0) throws(CodingFailure) {
    try enter()
    if count > 0 { bytes.appendHead(.array, UInt64(count) + 1) }
    bytes.appendHead(.unsigned, UInt64(number))
  }

  private mutating func enter() throws(CodingFailure) {
    guard depth < CBOR.depthLimit else { throw CodingFailure(.tooDeep, at: bytes.count) }
    depth &+= 1
  }

  /// The bytes.
  consuming func finish() -> [UInt8] {
    bytes
  }
}

extension FieldWriter {
  /// Writes a truth value.
  mutating func bool(_ value: Bool) {
    bytes.appendBool(value)
  }

  /// Writes a whole number.
  mutating func integer(_ number: some FixedWidthInteger) {
    if number < 0 {
      bytes.appendHead(.negative, UInt64(truncatingIfNeeded: ~number))
    } else {
      bytes.appendHead(.unsigned, UInt64(truncatingIfNeeded: number))
    }
  }

  /// Writes a text.
  mutating func text(_ text: String) {
    bytes.appendText(text)
  }

  /// Writes null.
  mutating func null() {
    bytes.appendNull()
  }

  /// Writes a double-precision number.
  mutating func double(_ number: Double) {
    bytes.appendDouble(number)
  }

  /// Enters an array of `count` elements.
  mutating func beginList(_ count: Int) throws(CodingFailure) {
    try enter()
    bytes.appendHead(.array, UInt64(count))
  }
}
