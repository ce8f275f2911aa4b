import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The struct or enum that `@Value` is attached to, or the mistakes in it.
struct ValueReading {
  /// The text that stores the type; empty if there is a mistake.
  private(set) var members = ""
  /// The initializer for other modules; `nil` if none is needed.
  private(set) var memberwise: String?
  /// All mistakes. If there is any, ``members`` have no fields.
  private(set) var complaints: [Diagnostic] = []

  /// Reads `declaration`, to which `attribute` is attached.
  init(
    _ attribute: AttributeSyntax, on declaration: some DeclGroupSyntax, in context: some MacroExpansionContext
  ) {
    let surrounding = context.lexicalContext.first
    // The modifier of an extension applies to members without a modifier of their own.
    let outer = surrounding?.as(ExtensionDeclSyntax.self)?.modifiers.access
    let own = declaration.modifiers.access
    let access = own == .module ? outer ?? own : own
    if let value = declaration.as(StructDeclSyntax.self) {
      // The record reports it.
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
