extension JSONReader {
  /// Reads the text that begins with the next byte, a quotation mark.
  mutating func text() throws(JSONFailure) -> String {
    offset &+= 1
    let start = offset
    offset = bytes.plainTextEnd(from: start)
    if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
      defer { offset &+= 1 }
      return try text(start..<offset)
    }
    var unescaped: [UInt8] = []
    var pieceStart = start
    while true {
      offset = bytes.plainTextEnd(from: offset)
      guard offset < bytes.count else { throw failure(.truncated) }
      if pieceStart < offset {
        _ = try checked(pieceStart..<offset)
        unescaped.append(contentsOf: bytes.extracting(pieceStart..<offset).copied)
      }
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        offset &+= 1
        return String(decoding: unescaped, as: UTF8.self)
      case UInt8(ascii: "\\"):
        try escape(into: &unescaped)
      default:
        throw failure(.control)
      }
      pieceStart = offset
    }
  }

  @_lifetime(copy self)
  private func checked(_ range: Range<Int>) throws(JSONFailure) -> UTF8Span {
    do {
      return try UTF8Span(validating: bytes.extracting(range))
    } catch {
      throw failure(.invalidText, at: range.lowerBound &+ error.byteOffsets.lowerBound)
    }
  }

  private func text(_ range: Range<Int>) throws(JSONFailure) -> String {
    String(copying: try checked(range))
  }

  /// Reads an escape sequence and appends its character.
  private mutating func escape(into text: inout [UInt8]) throws(JSONFailure) {
    let start = offset
    guard offset &+ 1 < bytes.count else { throw failure(.truncated, at: bytes.count) }
    let letter = bytes[offset &+ 1]
    offset &+= 2
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "u"):
      var code = try hexadecimal(from: start)
      if 0xdc00...0xdfff ~= code {
        throw failure(.surrogate, at: start)
      }
      if 0xd800...0xdbff ~= code {
        guard offset &+ 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
          bytes[offset &+ 1] == UInt8(ascii: "u")
        else { throw failure(.surrogate, at: start) }
        let lowStart = offset
        offset &+= 2
        let low = try hexadecimal(from: lowStart)
        guard 0xdc00...0xdfff ~= low else { throw failure(.surrogate, at: start) }
        code = 0x1_0000 &+ (code &- 0xd800) &* 0x400 &+ (low &- 0xdc00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw failure(.surrogate, at: start) }
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw failure(.escape, at: start)
    }
  }

  /// Reads four hexadecimal digits of the escape sequence at `start`.
  private mutating func hexadecimal(from start: Int) throws(JSONFailure) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard offset < bytes.count else { throw failure(.truncated) }
      switch bytes[offset] {
      case 0x30...0x39: code = code << 4 | UInt32(bytes[offset] &- 0x30)
      case 0x41...0x46, 0x61...0x66: code = code << 4 | UInt32((bytes[offset] | 0x20) &- 0x57)
      default: throw failure(.escape, at: start)
      }
      offset &+= 1
    }
    return code
  }
}
