import SwiftDiagnostics
import SwiftSyntax

/// Searches the type of a field, including nested types, for types that no field can hold.
final class FieldType: SyntaxVisitor {
  /// The mistake in the type; `nil` if none can be seen.
  private(set) var complaint: Diagnostic?

  private let field: String

  /// Reads the type of a field that messages call `field`.
  init(_ type: TypeSyntax, of field: String) {
    self.field = field
    super.init(viewMode: .sourceAccurate)
    walk(type)
  }

  override func visit(_ node: TupleTypeSyntax) -> SyntaxVisitorContinueKind {
    // A single type in parentheses is that type itself.
    guard node.elements.count != 1 else { return .visitChildren }
    return complain(
      node, "\(field) cannot be a tuple: declare @Value struct with these fields and store that")
  }

  override func visit(_ node: InlineArrayTypeSyntax) -> SyntaxVisitorContinueKind {
    inlineArray(node, of: node.element.trimmedDescription)
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    guard node.name.bare == "InlineArray", let arguments = node.genericArgumentClause?.arguments else {
      return .visitChildren
    }
    return inlineArray(node, of: arguments.last?.argument.trimmedDescription ?? "…")
  }

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    guard node.baseType.trimmedDescription == "Swift", node.name.bare == "InlineArray",
      let arguments = node.genericArgumentClause?.arguments
    else { return .visitChildren }
    return inlineArray(node, of: arguments.last?.argument.trimmedDescription ?? "…")
  }

  private func inlineArray(_ node: some SyntaxProtocol, of element: String) -> SyntaxVisitorContinueKind {
    complain(node, "\(field) cannot be an InlineArray, which has no stored form: write [\(element)]")
  }

  override func visit(_ node: FunctionTypeSyntax) -> SyntaxVisitorContinueKind {
    complain(node, "\(field) cannot be a function: store the values that it works on")
  }

  override func visit(_ node: SomeOrAnyTypeSyntax) -> SyntaxVisitorContinueKind {
    complain(
      node,
      "\(field) needs one concrete type: write it in the place of '\(node.trimmedDescription)', or declare @Value enum with a case for each type"
    )
  }

  override func visit(_ node: ImplicitlyUnwrappedOptionalTypeSyntax) -> SyntaxVisitorContinueKind {
    complain(
      node,
      "\(field) may be absent or not, but never in silence: write '\(node.wrappedType.trimmedDescription)?'",
      fixes: [.writing("?", for: node.exclamationMark)])
  }

  private func complain(
    _ node: some SyntaxProtocol, _ text: String, fixes: [FixIt] = []
  ) -> SyntaxVisitorContinueKind {
    complaint = complaint ?? Diagnostic(node, text, fixes: fixes)
    return .skipChildren
  }
}
