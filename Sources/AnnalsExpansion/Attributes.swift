import SwiftSyntax

extension AttributeListSyntax {
  /// Returns the attribute called `name`, alone or as a member of the module.
  func attribute(_ name: String) -> AttributeSyntax? {
    for case .attribute(let attribute) in self where attribute.bareName == name { return attribute }
    return nil
  }

  /// All attributes, also those inside `#if`.
  var everywhere: [AttributeSyntax] {
    flatMap { element in
      element.as(AttributeSyntax.self).map { [$0] } ?? element.as(IfConfigDeclSyntax.self)?.attributes ?? []
    }
  }

  /// Returns the first attribute in each `#if` with one of these names. A macro cannot know if it applies.
  func conditional(_ names: Set<String>) -> [AttributeSyntax] {
    compactMap { $0.as(IfConfigDeclSyntax.self)?.attributes.first { names.contains($0.bareName) } }
  }
}

extension IfConfigDeclSyntax {
  /// The attributes in all branches.
  fileprivate var attributes: [AttributeSyntax] {
    clauses.flatMap { $0.elements?.as(AttributeListSyntax.self)?.everywhere ?? [] }
  }
}

extension AttributeSyntax {
  /// The attribute's name: `Record` for `@Record` and for `@Annals.Record`.
  var bareName: String {
    let name = attributeName.trimmedDescription
    return name.hasPrefix("Annals.") ? String(name.dropFirst("Annals.".count)) : name
  }

  /// The token with the last part of the attribute's name.
  var lastName: TokenSyntax? {
    attributeName.as(MemberTypeSyntax.self)?.name ?? attributeName.as(IdentifierTypeSyntax.self)?.name
  }
}

extension SyntaxProtocol {
  /// Returns the attribute called `name` of this declaration.
  func attribute(_ name: String) -> AttributeSyntax? {
    asProtocol((any WithAttributesSyntax).self)?.attributes.attribute(name)
  }

  /// The declaration's name, without backticks.
  var declaredName: String? {
    asProtocol((any NamedDeclSyntax).self)?.name.bare
  }
}
