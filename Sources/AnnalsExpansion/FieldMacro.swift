import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Field`: generates nothing; `@Record` and `@Value` read it.
///
/// It only checks that it is in a place where one of the two reads it. They check its arguments.
package struct FieldMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if let text = complaint(about: declaration, within: context.lexicalContext.first) {
      context.diagnose(Diagnostic(node, text))
    }
    return []
  }

  private static func complaint(about declaration: some DeclSyntaxProtocol, within outer: Syntax?) -> String?
  {
    let isStored = outer?.attribute("Record") != nil || outer?.attribute("Value") != nil
    if let property = declaration.as(VariableDeclSyntax.self) {
      if property.isStatic { return "a static property is no field: remove @Field" }
      if property.bindings.allSatisfy(\.isComputed) {
        return "a computed property is not stored: remove @Field"
      }
      return outer?.is(StructDeclSyntax.self) == true && isStored
        ? nil : "@Field names a field of a @Record or @Value: mark the struct around it with one of them"
    }
    if declaration.is(EnumCaseDeclSyntax.self) {
      return isStored ? nil : "@Field names a case of a @Value: mark the enum around it with @Value"
    }
    return "@Field belongs on a stored property or on a case: remove it"
  }
}
