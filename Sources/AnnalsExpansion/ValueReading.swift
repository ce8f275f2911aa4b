import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What `@Value` finds in the struct or enum that it stands on, or what is wrong with it.
struct ValueReading {
  /// The text that stores the type; empty where something is wrong.
  private(set) var members = ""
  /// The initializer for other modules; `nil` where none is needed.
  private(set) var memberwise: String?
  /// Everything that is wrong; where there is anything, ``members`` hold no fields.
  private(set) var complaints: [Diagnostic] = []

  /// Reads `declaration`, which `attribute` stands on.
  init(
    _ attribute: AttributeSyntax, on declaration: some DeclGroupSyntax, in context: some MacroExpansionContext
  ) {
    let surrounding = context.lexicalContext.first
    // What an extension says of its members counts for those that say nothing themselves.
    let outer = surrounding?.as(ExtensionDeclSyntax.self)?.modifiers.access
    let own = declaration.modifiers.access
    let access = own == .module ? outer ?? own : own
    if let value = declaration.as(StructDeclSyntax.self) {
      // The record says so.
      if value.attribute("Record") != nil { return }
      let reading = FieldsReading(value, called: "value")
      complaints = reading.complaints
      let text = StructText(reading.fields, access)
      members = text.members(in: context)
      memberwise = access > .module && !reading.hasInitializer ? text.memberwise : nil
    } else if let value = declaration.as(EnumDeclSyntax.self) {
      if value.attribute("Record") != nil { return }
      let reading = CasesReading(value)
      complaints = reading.complaints
      members = EnumText(reading.cases, access).members(in: context)
    } else {
      complaints.append(
        Diagnostic(
          declaration.introducer,
          "a value that is stored is a struct or an enum: write @Value struct \(declaration.declaredName ?? "…") { … }",
          fixes: [.writing("struct", for: declaration.introducer)]))
    }
    if !complaints.isEmpty, !members.isEmpty {
      let isEnum = declaration.is(EnumDeclSyntax.self)
      let isGeneric =
        declaration.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
      members = isGeneric ? "" : StructText.standIn(access, as: isEnum ? "choice" : "record")
    }
    let isPrivate = declaration.modifiers.first { $0.name.tokenKind == .keyword(.private) }
    if let modifier = isPrivate, surrounding != nil {
      members = ""
      complaints.append(
        Diagnostic(
          modifier, "a private value cannot be seen by the code of @Value: write 'fileprivate'",
          fixes: [.writing("fileprivate", for: modifier.name)]))
    }
  }
}
