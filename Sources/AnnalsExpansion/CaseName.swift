import SwiftParser
import SwiftSyntax

/// The name of the case that holds a record.
struct CaseName {
  /// The name without backticks: `setLogged` for `SetLogged`, `urlSet` for `URLSet`, `id` for `ID`.
  let bare: String

  /// Creates the name of the case for the record type called `type`.
  init(of type: String) {
    let letters = Array(type)
    let capitals = letters.prefix { $0.isUppercase }.count
    // The last capital of several begins the next word, unless nothing, or no letter, follows it.
    let beginsWord = capitals > 1 && capitals < letters.count && letters[capitals].isLetter
    let lowered = beginsWord ? capitals - 1 : capitals
    bare = String(letters.prefix(lowered)).lowercased() + String(letters.dropFirst(lowered))
  }

  /// The name as written in a declaration and after a dot.
  var written: String {
    bare.isValidSwiftIdentifier(for: .variableName) && bare.isValidSwiftIdentifier(for: .memberAccess)
      ? bare : "`\(bare)`"
  }
}

extension TokenSyntax {
  /// The name without backticks.
  var bare: String {
    text.hasPrefix("`") && text.hasSuffix("`") && text.count > 2 ? String(text.dropFirst().dropLast()) : text
  }

  /// Returns the name as written in the context `use`, with backticks where needed.
  ///
  /// `await` is a valid name, but where a value is read, it is the keyword.
  func written(for use: IdentifierCheckContext) -> String {
    bare.isValidSwiftIdentifier(for: use) && bare != "await" ? bare : "`\(bare)`"
  }

  /// The name as written as a label. Few words need backticks there, and others may not have them.
  var asLabel: String {
    let isWord = bare.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isWord && !["inout", "var", "let"].contains(bare) ? bare : "`\(bare)`"
  }
}
