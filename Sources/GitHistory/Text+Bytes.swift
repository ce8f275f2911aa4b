extension String {
  /// Creates a text for people from git's bytes: each byte that is not UTF-8 becomes `\xFF`, and everything
  /// else is unchanged.
  ///
  /// Git stores names and messages as bytes and guarantees no encoding.
  init(readable bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self = String(bytes) { scalar in scalar }
    }
  }

  /// Creates a text that identifies a path from git's bytes. Control characters and bytes that are not UTF-8
  /// become `\xFF`, a tab `\t`, a newline `\n`, and a backslash is doubled.
  init(path bytes: some Collection<UInt8>) {
    let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }
    self = isPlain ? String(decoding: bytes, as: UTF8.self) : String(bytes, escaping: Self.escaped)
  }

  private static func escaped(_ scalar: String) -> String {
    switch scalar {
    case "\\": "\\\\"
    case "\t": "\\t"
    case "\n": "\\n"
    default:
      scalar.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        ? scalar : scalar.utf8.map(Self.hexadecimal).joined()
    }
  }

  /// Converts `bytes` to text, passing each scalar through `escaping`.
  private init(_ bytes: some Collection<UInt8>, escaping: (String) -> String) {
    self = ""
    var rest = bytes[...]
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let scalar):
        append(escaping(String(Unicode.UTF8.decode(scalar))))
        rest = rest.dropFirst(scalar.count)
      case .error(let length):
        for byte in rest.prefix(length) { append(Self.hexadecimal(byte)) }
        rest = rest.dropFirst(length)
      case .emptyInput: return
      }
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  /// The text without characters that would move a terminal's cursor or change its colours.
  var printable: String {
    guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
    return String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{fffd}" : $0 }))
  }
}
