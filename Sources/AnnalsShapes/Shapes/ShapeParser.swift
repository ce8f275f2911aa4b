internal import AnnalsCoding

/// A parser for the text of a shape, which may be damaged. It throws and never traps, and uses memory in
/// proportion to the text.
struct ShapeParser: ~Copyable, ~Escapable {
  private let bytes: Span<UInt8>
  private var offset = 0
  private var parts = 0

  /// Creates a parser of `bytes`, UTF-8.
  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
  }

  /// Returns the fields of the record in the whole text.
  mutating func shape() throws(ShapeFailure) -> [FieldShape] {
    guard bytes.count <= ShapeLimits.textSize else {
      throw ShapeFailure(reason: .tooLarge, offset: ShapeLimits.textSize)
    }
    let fields = try fields(depth: 1)
    guard offset == bytes.count else { throw failure(.trailing) }
    return fields
  }

  private func failure(_ reason: ShapeFailure.Reason) -> ShapeFailure {
    ShapeFailure(reason: offset < bytes.count || reason != .unexpected ? reason : .truncated, offset: offset)
  }

  /// Counts one more part, and refuses one too many or one too deep.
  private mutating func enter(_ depth: Int) throws(ShapeFailure) {
    parts &+= 1
    guard parts <= ShapeLimits.parts else { throw failure(.tooMany) }
    guard depth <= ShapeLimits.depth else { throw failure(.tooDeep) }
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func takes(_ word: StaticString) -> Bool {
    let start = offset
    for scalar in "\(word)".unicodeScalars {
      guard next == UInt8(ascii: scalar) else {
        offset = start
        return false
      }
      offset &+= 1
    }
    return true
  }

  private mutating func take(_ word: StaticString) throws(ShapeFailure) {
    guard takes(word) else { throw failure(.unexpected) }
  }

  private mutating func fields(depth: Int) throws(ShapeFailure) -> [FieldShape] {
    try enter(depth)
    try take("(")
    var fields: [FieldShape] = []
    guard !takes(")") else { return fields }
    repeat {
      let name = try name()
      var original: String?
      if takes("(") {
        original = try self.name()
        try take(")")
      }
      try take(": ")
      var subject: String?
      if takes("personal(") {
        subject = try self.name()
        try take(") ")
      }
      fields.append(
        FieldShape(name, originalName: original, try type(depth: depth &+ 1), subject: subject))
    } while takes(", ")
    try take(")")
    // Only fields of the record itself are encrypted, and their subject is another one of them.
    let subjects = fields.compactMap(\.subject)
    guard
      subjects.isEmpty
        || depth == 1
          && subjects.allSatisfy({ subject in
            fields.contains { ExactText($0.name) == ExactText(subject) && $0.subject == nil }
          })
    else { throw failure(.name) }
    return fields
  }

  private mutating func type(depth: Int) throws(ShapeFailure) -> ValueShape {
    try enter(depth)
    var shape = try base(depth: depth)
    var level = depth
    while takes("?") {
      level &+= 1
      try enter(level)
      shape = .optional(shape)
    }
    return shape
  }

  private mutating func base(depth: Int) throws(ShapeFailure) -> ValueShape {
    switch next {
    case UInt8(ascii: "("): return .record(try fields(depth: depth))
    case UInt8(ascii: "<"): return .choice(try cases(depth: depth))
    case UInt8(ascii: "["):
      offset &+= 1
      let first = try type(depth: depth &+ 1)
      let shape: ValueShape = takes(": ") ? .map(first, try type(depth: depth &+ 1)) : .list(first)
      try take("]")
      return shape
    case UInt8(ascii: "{"):
      offset &+= 1
      let element = try type(depth: depth &+ 1)
      try take("}")
      return .set(element)
    case UInt8(ascii: "^"):
      offset &+= 1
      return .enclosing(try level())
    default:
      let start = offset
      let word = word()
      if let integer = IntegerShape(rawValue: word) { return .integer(integer) }
      if let shape = ValueShape.words.first(where: { $0.word == word }) { return shape.shape }
      let isEmpty = start == offset
      offset = start
      throw failure(isEmpty ? .unexpected : .type)
    }
  }

  private mutating func cases(depth: Int) throws(ShapeFailure) -> [CaseShape] {
    try take("<")
    var cases: [CaseShape] = []
    guard !takes(">") else { return cases }
    repeat {
      try enter(depth)
      let name = try name()
      cases.append(CaseShape(name, next == UInt8(ascii: "(") ? try fields(depth: depth &+ 1) : []))
    } while takes(" | ")
    try take(">")
    return cases
  }

  private mutating func level() throws(ShapeFailure) -> Int {
    let start = offset
    var number = 0
    // Two digits are enough for the number of levels.
    while let digit = next, (0x30...0x39).contains(digit), offset &- start < 2 {
      number = number &* 10 &+ Int(digit &- 0x30)
      offset &+= 1
    }
    guard offset > start else { throw failure(.unexpected) }
    return number
  }

  private mutating func word() -> String {
    let start = offset
    while let byte = next, ShapeText.isPlain(byte) { offset &+= 1 }
    return String(decoding: bytes.extracting(start..<offset).copied, as: UTF8.self)
  }

  private mutating func name() throws(ShapeFailure) -> String {
    guard next == UInt8(ascii: "\"") else {
      let word = word()
      guard !word.isEmpty else { throw failure(next == nil ? .truncated : .name) }
      return word
    }
    let start = offset
    offset &+= 1
    while let byte = next, byte != UInt8(ascii: "\"") {
      offset &+= byte == UInt8(ascii: "\\") ? 2 : 1
    }
    guard offset < bytes.count else { throw ShapeFailure(reason: .truncated, offset: bytes.count) }
    offset &+= 1
    let value: CBOR
    do throws(JSONFailure) {
      value = try JSONReader.value(of: bytes.extracting(start..<offset))
    } catch {
      throw ShapeFailure(reason: .name, offset: start &+ error.column &- 1)
    }
    guard case .text(let name) = value else { throw ShapeFailure(reason: .name, offset: start) }
    return name
  }
}
