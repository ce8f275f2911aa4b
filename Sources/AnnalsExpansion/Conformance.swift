import SwiftSyntax
import SwiftSyntaxBuilder

/// An extension that a macro writes.
struct Conformance {
  /// The extension.
  let declarations: [ExtensionDeclSyntax]

  /// The extension of `type` with `members`, to the protocol called `name` unless the type states that itself, so that
  /// `missing` is empty.
  init(of type: some TypeSyntaxProtocol, to name: String, _ missing: [TypeSyntax], _ members: String) {
    let text: DeclSyntax = """
      extension \(type.trimmed)\(raw: missing.isEmpty ? "" : ": Annals.\(name)") {
      \(raw: members)
      }
      """
    declarations = [text].compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}
