/// Names and messages as people see them: characters that move the cursor or hide in a terminal are written
/// out.
enum PlainText {
  /// `text` with control characters, backslashes and marks that turn the direction of writing as escapes.
  static func escaped(_ text: String) -> String {
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

  /// `text` on one line, with control characters as escapes. Backslashes stay, because messages hold no names
  /// to be read back.
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

  /// `text` of several lines with the end of the last one, each as ``line(_:)`` shows it.
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
