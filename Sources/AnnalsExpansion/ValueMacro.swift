package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Value`: the conformance of a struct or enum to `StoredValue`, and an initializer of a struct for other
/// modules.
package struct ValueMacro: MemberMacro, ExtensionMacro {
  /// The initializer.
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let reading = ValueReading(node, on: declaration, in: context)
    guard reading.complaints.isEmpty, let memberwise = reading.memberwise else { return [] }
    return ["\(raw: memberwise)"]
  }

  /// The conformance. Mistakes in the value are reported here, once.
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let reading = ValueReading(node, on: declaration, in: context)
    reading.complaints.forEach(context.diagnose)
    guard !reading.members.isEmpty else { return [] }
    return Conformance(of: type, to: ["StoredValue"], protocols, reading.members).declarations
  }
}
