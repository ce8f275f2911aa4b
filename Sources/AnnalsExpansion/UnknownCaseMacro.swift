import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@UnknownCase`: generates nothing; `@Value` reads it.
package struct UnknownCaseMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !declaration.is(EnumCaseDeclSyntax.self) {
      context.diagnose(Diagnostic(node, "@UnknownCase belongs on a case of a @Value enum: remove it"))
    } else if context.lexicalContext.first?.attribute("Value") == nil {
      context.diagnose(
        Diagnostic(node, "@UnknownCase marks a case of a @Value: mark the enum around it with @Value"))
    }
    return []
  }
}
