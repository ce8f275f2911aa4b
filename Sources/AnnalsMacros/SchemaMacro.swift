import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Schema`: the members of a schema, and its conformance.
struct SchemaMacro: MemberMacro, ExtensionMacro {
  /// The version and the event.
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let reading = SchemaReading(node, on: declaration)
    // Half a schema would bury the complaint under errors of its own.
    guard reading.complaints.isEmpty else { return [] }
    let text = SchemaText(reading)
    return ["\(raw: text.version)", "\(raw: text.event)"]
  }

  /// The conformance, and the check that every record is one.
  ///
  /// What is wrong with the schema is said here: the compiler always asks for extensions, but for members only where
  /// something uses them.
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let reading = SchemaReading(node, on: declaration)
    reading.complaints.forEach(context.diagnose)
    guard reading.complaints.isEmpty else { return [] }
    // A schema that states its conformance itself gets the check alone.
    let conformance = protocols.isEmpty ? "" : ": Annals.VersionedSchema"
    let text: DeclSyntax = """
      extension \(type.trimmed)\(raw: conformance) {
      \(raw: SchemaText(reading).check)
      }
      """
    return [text].compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}
