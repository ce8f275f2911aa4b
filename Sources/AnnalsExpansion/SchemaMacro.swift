package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Schema`: the members of a schema, and its conformance.
package struct SchemaMacro: MemberMacro, ExtensionMacro {
  /// The version, the stability and the event.
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let reading = SchemaReading(node, on: declaration)
    guard reading.complaints.isEmpty || reading.mayStandIn else { return [] }
    let text = SchemaText(reading)
    return [text.version, text.stability, text.event(in: context)].compactMap { $0 }.map { "\(raw: $0)" }
  }

  /// The conformance, and the check that every record is one.
  ///
  /// Mistakes in the schema are reported here: the compiler always requests extensions, but members only if
  /// they are used.
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let reading = SchemaReading(node, on: declaration)
    (reading.complaints + reading.warnings).forEach(context.diagnose)
    guard reading.complaints.isEmpty || reading.mayStandIn else { return [] }
    return Conformance(of: type, to: ["VersionedSchema"], protocols, SchemaText(reading).check(in: context))
      .declarations
  }
}
