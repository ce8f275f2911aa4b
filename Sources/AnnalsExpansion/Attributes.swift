import SwiftSyntax

extension AttributeListSyntax {
  /// The attribute called `name`, alone or as a member of the module.
  func attribute(_ name: String) -> AttributeSyntax? {
    for case .attribute(let attribute) in self where attribute.bareName == name { return attribute }
    return nil
  }
}

extension AttributeSyntax {
  /// The attribute's name: `Record` for `@Record` and for `@Annals.Record`.
  var bareName: String {
    let name = attributeName.trimmedDescription
    return name.hasPrefix("Annals.") ? String(name.dropFirst("Annals.".count)) : name
  }

  /// The word of the attribute that says which one it is.
  var lastName: TokenSyntax? {
    attributeName.as(MemberTypeSyntax.self)?.name ?? attributeName.as(IdentifierTypeSyntax.self)?.name
  }
}

extension SyntaxProtocol {
  /// The attribute called `name` of the declaration that this is.
  func attribute(_ name: String) -> AttributeSyntax? {
    asProtocol((any WithAttributesSyntax).self)?.attributes.attribute(name)
  }

  /// The name of the declaration that this is, without backticks.
  var declaredName: String? {
    asProtocol((any NamedDeclSyntax).self)?.name.bare
  }
}
