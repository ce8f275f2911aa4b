/// Names of a file as names in Swift source.
enum SwiftName {
  /// The words that a declaration cannot be called without backticks, and `self` and `Type` in any form.
  private static let reserved: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init",
    "inout",
    "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows",
    "static", "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default",
    "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "throw", "switch",
    "where", "while", "Any", "as", "await", "catch", "false", "is", "nil", "super", "throws", "true", "try",
    "_",
  ]
  /// Names that the generated members of a record have already, or that are no names even in backticks.
  private static let taken: Set<String> = [
    "self", "Self", "Type", "init", "recordName", "formerNames", "reservedNames", "shape", "hashValue",
    "encode",
  ]

  /// Returns `text` as a name: letters, digits and `_` alone, and not a digit first.
  static func identifier(_ text: String) -> String {
    var name = ""
    for scalar in text.unicodeScalars {
      let isAllowed =
        scalar == "_" || (scalar.isASCII && scalar.properties.isAlphabetic)
        || ("0"..."9").contains(scalar)
      name.unicodeScalars.append(isAllowed ? scalar : "_")
    }
    if name.isEmpty || name.first?.isNumber == true { name = "_" + name }
    if name.allSatisfy({ $0 == "_" }) { name += "value" }
    return taken.contains(name) ? name + "_" : name
  }

  /// Returns a name for a declaration, in backticks where Swift needs them.
  static func declared(_ name: String) -> String { reserved.contains(name) ? "`\(name)`" : name }

  /// Returns `text` with its first letter in upper case.
  static func upper(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  /// Returns `text` with its first letter in lower case.
  static func lower(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

  /// Returns `text` as a literal of one line.
  static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case _
      where scalar.value < 0x20 || scalar.value == 0x7f || scalar.properties.generalCategory == .format
        || scalar.properties.generalCategory == .lineSeparator
        || scalar.properties.generalCategory == .paragraphSeparator
        || scalar.properties.generalCategory == .control:
        literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// Returns `name`, with a number if it is in `names` already, and adds it to them.
  static func distinct(_ name: String, _ names: inout Set<String>) -> String {
    var result = name
    var number = 2
    // Names that differ in case alone would be confused, in file names and by readers.
    while !names.insert(result.lowercased()).inserted {
      result = "\(name)\(number)"
      number += 1
    }
    return result
  }
}
