import SwiftSyntax
import SwiftSyntaxBuilder

/// An extension that a macro writes.
struct Conformance {
  /// The extension.
  let declarations: [ExtensionDeclSyntax]

  /// The extension of `type` with `members`, to those of `protocols` that the type does not state itself and so are `missing`.
  ///
  /// A protocol that another one implies is named all the same. The compiler takes an implied one for missing where a
  /// file asks for it after it has used the type and before it has expanded the macro (Swift 6.3).
  init(
    of type: some TypeSyntaxProtocol, to protocols: [String], _ missing: [TypeSyntax], _ members: String
  ) {
    let names = missing.map { $0.trimmedDescription.split(separator: ".").last.map(String.init) }
    let stated = protocols.filter(names.contains).map { "Annals.\($0)" }.joined(separator: ", ")
    let text: DeclSyntax = """
      extension \(type.trimmed)\(raw: stated.isEmpty ? "" : ": \(stated)") {
      \(raw: members)
      }
      """
    declarations = [text].compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}
