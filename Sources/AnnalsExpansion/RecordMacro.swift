package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Record`: the conformance of a struct to `ShapedRecord`, and an initializer for other modules.
package struct RecordMacro: MemberMacro, ExtensionMacro {
  /// The initializer.
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let reading = RecordReading(node, on: declaration, within: context.lexicalContext)
    guard reading.complaints.isEmpty, reading.access > .module, !reading.hasInitializer else { return [] }
    return ["\(raw: StructText(reading.fields, reading.access).memberwise)"]
  }

  /// The conformance. Mistakes in the record are reported here, once.
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let reading = RecordReading(node, on: declaration, within: context.lexicalContext)
    reading.complaints.forEach(context.diagnose)
    guard reading.complaints.isEmpty || reading.mayStandIn else { return [] }
    let access = reading.access.prefix
    var members = ["\(access)static var recordName: Swift.String { \(reading.name.literal) }"]
    if !reading.formerNames.isEmpty {
      members.append("\(access)static var formerNames: [Swift.String] { \(reading.formerNames.literal) }")
    }
    if !reading.reservedNames.isEmpty {
      members.append("\(access)static var reservedNames: [Swift.String] { \(reading.reservedNames.literal) }")
    }
    if reading.hasTags, reading.complaints.isEmpty {
      members += TagsText(reading.fields, reading.access).members(in: context)
    }
    let row = declaration.as(StructDeclSyntax.self)
    if let mistake = row?.unlistedKey { context.diagnose(mistake) }
    let keys = row?.indexedConstants ?? []
    if !keys.isEmpty {
      let list = keys.map { "`\($0)`" }.joined(separator: ", ")
      members.append(
        "\(access)static var secondaryKeys: [any Annals.DeclaredKey<\(type.trimmed)>] { [\(list)] }")
    }
    let names = members.joined(separator: "\n")
    let fields =
      reading.complaints.isEmpty
      ? StructText(reading.fields, reading.access).members(in: context)
      : StructText.standIn(reading.access)
    // Separate, because in one extension the compiler reports one `encode` as a misspelling of the other.
    return Conformance(of: type, to: ["ShapedRecord", "Record"], protocols, names).declarations
      + Conformance(of: type, to: ["StoredValue"], protocols, fields).declarations
  }
}
