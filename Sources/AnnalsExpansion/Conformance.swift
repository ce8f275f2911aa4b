import SwiftSyntax
import SwiftSyntaxBuilder

/// An extension that a macro generates.
struct Conformance {
  /// The extension.
  let declarations: [ExtensionDeclSyntax]

  /// Creates the extension of `type` with `members`. It conforms to those of `protocols` that are `missing`
  /// because the type does not state them itself.
  ///
  /// A protocol implied by another is still named. The compiler treats an implied one as missing if a file
  /// asks for it after using the type and before expanding the macro (Swift 6.3).
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
