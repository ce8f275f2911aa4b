package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Schema`: the members of a schema, and its conformance.
package struct SchemaMacro: MemberMacro, ExtensionMacro {
  /// The version, what is said of its stability, and the event.
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let reading = SchemaReading(node, on: declaration)
    // Half a schema would bury the complaint under errors of its own.
    guard reading.complaints.isEmpty else { return [] }
    let text = SchemaText(reading)
    return [text.version, text.stability, text.event(in: context)].compactMap { $0 }.map { "\(raw: $0)" }
  }

  /// The conformance, and the check that every record is one.
  ///
  /// What is wrong with the schema is said here: the compiler always asks for extensions, but for members only where
  /// something uses them.
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let reading = SchemaReading(node, on: declaration)
    (reading.complaints + reading.warnings).forEach(context.diagnose)
    guard reading.complaints.isEmpty else { return [] }
    return Conformance(of: type, to: ["VersionedSchema"], protocols, SchemaText(reading).check(in: context))
      .declarations
  }
}
