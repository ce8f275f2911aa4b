/// Escapes names and messages for people: characters that move the cursor or are invisible in a terminal.
enum PlainText {
  /// Returns `text` with control characters, backslashes and direction marks escaped.
  static func escaped(_ text: String) -> String {
    // Most names need nothing, and a list of streams has a million of them.
    if text.utf8.allSatisfy({ 0x20...0x7e ~= $0 && $0 != UInt8(ascii: "\\") }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where isHidden(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns `text` on one line, with control characters escaped. Backslashes are unchanged, because messages
  /// contain no names to be read back.
  static func line(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if isHidden(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Returns the lines of `text`, each as ``line(_:)`` shows it, with a final line end.
  static func lines(_ text: String) -> [UInt8] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      Array("\(line(String($0)))\n".utf8)
    }
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
