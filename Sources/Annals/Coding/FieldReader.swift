/// Reads the values of a payload one after the other, from bytes lent to it.
///
/// Whatever the bytes, it throws and never traps, and takes memory in proportion to them.
public struct FieldReader: ~Copyable, ~Escapable {
  private var reader: CBORReader
  private var depth = 0
  /// How many values the case that was entered last holds.
  private var held = 0

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) {
    reader = CBORReader(bytes)
  }

  /// The value of the next field.
  @inline(__always)
  public mutating func field<Value: StoredValue>() throws(CodingFailure) -> Value {
    try Value(from: &self)
  }

  /// The value of the next field, whose type has no shape.
  @_disfavoredOverload
  public mutating func field<Value: Codable & Sendable>() throws(CodingFailure) -> Value {
    let start = reader.offset
    try reader.skip()
    return try PayloadDecoder.decode(Value.self, from: reader.copy(start..<reader.offset))
  }

  /// Enters a record of `count` fields.
  public mutating func begin(_ count: Int) throws(CodingFailure) {
    let start = reader.offset
    try enter()
    let head = try reader.canonicalHead()
    guard head.major == .array else {
      throw CodingFailure(.wrongType, at: start, detail: "an array of fields wanted")
    }
    guard head.argument == UInt64(count) else {
      throw CodingFailure(.wrongType, at: start, detail: "\(count) fields wanted")
    }
  }

  /// Leaves the record or case that was entered last.
  public mutating func leave() {
    depth &-= 1
  }

  /// Enters a case.
  ///
  /// - Returns: Its number.
  public mutating func choice() throws(CodingFailure) -> Int {
    let start = reader.offset
    try enter()
    var head = try reader.canonicalHead()
    held = 0
    if head.major == .array {
      guard head.argument >= 2 else {
        throw CodingFailure(.wrongType, at: start, detail: "a case and its values wanted")
      }
      held = try reader.count(head.argument) &- 1
      head = try reader.canonicalHead()
    }
    guard head.major == .unsigned, let number = Int(exactly: head.argument) else {
      throw CodingFailure(.wrongType, at: start, detail: "the number of a case wanted")
    }
    return number
  }

  /// Says that the case that was entered holds `count` values.
  public func holds(_ count: Int) throws(CodingFailure) {
    guard held == count else {
      throw CodingFailure(.wrongType, at: reader.offset, detail: "a case with \(count) values wanted")
    }
  }

  /// What to throw for a case with a number that the type does not have.
  public func unknownCase() -> CodingFailure {
    CodingFailure(.outOfRange, at: reader.offset, detail: "the type has no case of this number")
  }

  private mutating func enter() throws(CodingFailure) {
    guard depth < CBOR.depthLimit else { throw CodingFailure(.tooDeep, at: reader.offset) }
    depth &+= 1
  }

  /// Refuses bytes behind the last value.
  func end() throws(CodingFailure) {
    try reader.finish()
  }
}

extension FieldReader {
  /// Takes the head of the next item, which must be of this major type.
  private mutating func head(
    _ major: CBORHead.Major, _ wanted: @autoclosure () -> String
  ) throws(CodingFailure) -> CBORHead {
    let start = reader.offset
    let head = try reader.canonicalHead()
    guard head.major == major else {
      throw CodingFailure(.wrongType, at: start, detail: "\(wanted()) wanted")
    }
    return head
  }

  /// A truth value.
  mutating func bool() throws(CodingFailure) -> Bool {
    let start = reader.offset
    let head = try reader.canonicalHead()
    guard head.major == .simple, head.info == 20 || head.info == 21 else {
      throw CodingFailure(.wrongType, at: start, detail: "Bool wanted")
    }
    return head.info == 21
  }

  /// A whole number.
  mutating func integer<Number: FixedWidthInteger>() throws(CodingFailure) -> Number {
    let start = reader.offset
    let head = try reader.canonicalHead()
    let number: Number?
    switch head.major {
    case .unsigned: number = Number(exactly: head.argument)
    case .negative: number = Number.isSigned ? Number(exactly: head.argument).map { ~$0 } : nil
    default: throw CodingFailure(.wrongType, at: start, detail: "\(Number.self) wanted")
    }
    guard let number else { throw CodingFailure(.outOfRange, at: start, detail: "\(Number.self) wanted") }
    return number
  }

  /// A text.
  mutating func text() throws(CodingFailure) -> String {
    try reader.text(try reader.take(try head(.text, "String").argument))
  }

  /// Whether null comes next, which is then taken.
  mutating func isNull() throws(CodingFailure) -> Bool {
    guard try reader.peek() == 0xf6 else { return false }
    reader.move(to: reader.offset &+ 1)
    return true
  }

  /// A double-precision number.
  mutating func double() throws(CodingFailure) -> Double {
    let start = reader.offset
    let head = try reader.canonicalHead()
    guard head.major == .simple, (25...27).contains(head.info) else {
      throw CodingFailure(.wrongType, at: start, detail: "Double wanted")
    }
    return Double(bitPattern: head.floatForm.widened)
  }

  /// Enters an array.
  ///
  /// - Returns: How many elements it has; each takes at least a byte.
  mutating func beginList() throws(CodingFailure) -> Int {
    try enter()
    return try reader.count(try head(.array, "an array").argument)
  }
}
