internal import AnnalsCoding

/// A name in Swift source.
struct SwiftName: Hashable {
  /// The name as it is written, with backticks if it is a word of the language.
  let written: String
  /// The name without backticks.
  let bare: String

  /// Creates the name closest to `name`, a name on disk, that is none of `taken`.
  ///
  /// Characters that cannot be in a name are left out, and the next letter becomes a capital.
  init(_ name: String, isType: Bool = false, except taken: Set<String> = []) {
    var text = ""
    var beginsWord = false
    for scalar in name.unicodeScalars {
      guard scalar.properties.isXIDContinue else {
        beginsWord = !text.isEmpty
        continue
      }
      text += beginsWord ? String(scalar).uppercased() : String(scalar)
      beginsWord = false
    }
    if let first = text.unicodeScalars.first, !first.properties.isXIDStart, first != "_" { text = "_" + text }
    if text.allSatisfy({ $0 == "_" }) { text = isType ? "Value" : "value" }
    if isType { text = text.prefix(1).uppercased() + text.dropFirst() }
    var number = 2
    let first = text
    while taken.contains(text) {
      text = "\(first)\(number)"
      number += 1
    }
    bare = text
    written = Self.words.contains(text) ? "`\(text)`" : text
  }

  /// Creates the name of a declaration that exists.
  init(existing name: String) {
    // The runtime gives a name with spaces in backticks, with spaces that do not break.
    let name = name.filter { $0 != "`" }.replacing("\u{a0}", with: " ")
    bare = name
    let isPlain =
      !Self.words.contains(name)
      && (name.unicodeScalars.first.map { $0.properties.isXIDStart || $0 == "_" } ?? false)
      && name.unicodeScalars.allSatisfy(\.properties.isXIDContinue)
    written = isPlain ? name : "`\(name)`"
  }

  /// Returns `text` as a literal.
  static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control || scalar.properties.isGraphemeExtend:
        literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// The words of the language that need backticks as the name of a property, a case or a type.
  private static let words: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init",
    "inout",
    "internal", "let", "operator", "precedencegroup", "private", "protocol", "public", "rethrows", "static",
    "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do",
    "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "switch", "throw", "where",
    "while",
    "Any", "as", "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "_", "Type",
    "Protocol",
  ]
}
