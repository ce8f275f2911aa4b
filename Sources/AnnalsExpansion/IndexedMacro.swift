import SwiftDiagnostics
import SwiftParser
import SwiftSyntaxBuilder
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Indexed`: the secondary key of a row's field. `@Record` lists the keys.
package struct IndexedMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if let text = complaint(about: declaration, within: context.lexicalContext.first) {
      context.diagnose(Diagnostic(node, text))
      return []
    }
    guard let property = declaration.as(VariableDeclSyntax.self), let key = IndexedKey(property) else {
      // Without a name or a type, `@Record` reports the mistake.
      return []
    }
    return ["\(raw: key.declaration(isUnique: node.isUnique))"]
  }

  private static func complaint(
    about declaration: some DeclSyntaxProtocol, within outer: Syntax?
  ) -> String? {
    guard let property = declaration.as(VariableDeclSyntax.self), !property.isStatic,
      !property.bindings.allSatisfy(\.isComputed)
    else {
      return
        "@Indexed belongs on a stored property of a row: for a computed key declare a SecondaryKey and list it in secondaryKeys"
    }
    guard let row = outer?.as(StructDeclSyntax.self), row.attribute("Record") != nil,
      row.inheritanceClause.says(["ProjectionRow"], of: "Annals")
    else { return "only rows of projections have keys: write @Record struct …: ProjectionRow around it" }
    return nil
  }
}

/// The secondary key that `@Indexed` makes of a stored property.
struct IndexedKey {
  /// The name of the constant: `byTeam` for `team`.
  let constant: String
  private let access: String
  private let property: String
  private let name: DiskName
  private let type: TypeSyntax

  /// Creates the key of `property`; `nil` if it has no name or no written type.
  init?(_ property: VariableDeclSyntax) {
    guard let binding = property.bindings.first, let type = binding.typeAnnotation?.type,
      let place = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
    else { return nil }
    let bare = place.bare
    constant = "by\(bare.prefix(1).uppercased())\(bare.dropFirst())"
    access = property.modifiers.access.prefix
    self.property = place.written(for: .memberAccess)
    self.type = type
    var names = NameArguments(of: property.attributes.attribute("Field"), example: "@Field(\"title\")")
    name = names.name(nil) ?? DiskName(text: bare)
  }

  /// Returns the constant's declaration.
  func declaration(isUnique: Bool) -> String {
    let unique = isUnique ? ", unique: true" : ""
    let written = "\(access)static let `\(constant)` = Annals.SecondaryKey<Self, "
    if let element = type.as(ArrayTypeSyntax.self)?.element {
      return
        "\(written)\(element.trimmedDescription)>(\(name.literal)\(unique), each: { $0.\(property) })"
    }
    if let named = type.as(IdentifierTypeSyntax.self), ["Set", "Array"].contains(named.name.text),
      let element = named.genericArgumentClause?.arguments.first
    {
      return
        "\(written)\(element.argument.trimmedDescription)>(\(name.literal)\(unique), each: { Swift.Array($0.\(property)) })"
    }
    let key = type.as(OptionalTypeSyntax.self)?.wrappedType ?? type
    return "\(written)\(key.trimmedDescription)>(\(name.literal)\(unique)) { $0.\(property) }"
  }
}

extension AttributeSyntax {
  /// Whether its argument `unique` is true.
  fileprivate var isUnique: Bool {
    guard case .argumentList(let list) = arguments else { return false }
    return list.first { $0.label?.text == "unique" }?.expression.trimmedDescription == "true"
  }
}

extension StructDeclSyntax {
  /// Whether the struct has a static property `secondaryKeys` of its own.
  fileprivate var declaresSecondaryKeys: Bool {
    memberBlock.members.contains { member in
      guard let property = member.decl.as(VariableDeclSyntax.self), property.isStatic else { return false }
      return property.bindings.contains {
        $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.bare == "secondaryKeys"
      }
    }
  }

  /// The mistake of a struct that lists its keys by hand and also marks a field; `nil` if there is none. Only
  /// `@Record` sees the other members.
  var unlistedKey: Diagnostic? {
    guard declaresSecondaryKeys else { return nil }
    for member in memberBlock.members {
      guard let attribute = member.decl.as(VariableDeclSyntax.self)?.attributes.attribute("Indexed") else {
        continue
      }
      return Diagnostic(
        attribute,
        "'secondaryKeys' is written by hand: remove it, or remove @Indexed and list a SecondaryKey there")
    }
    return nil
  }

  /// The constants that `@Indexed` makes in this struct, in the order of its properties; empty if the struct
  /// lists its keys itself.
  var indexedConstants: [String] {
    guard !declaresSecondaryKeys else { return [] }
    return memberBlock.members.compactMap { member in
      guard let property = member.decl.as(VariableDeclSyntax.self), !property.isStatic,
        property.attributes.attribute("Indexed") != nil, property.bindings.count == 1
      else { return nil }
      return IndexedKey(property)?.constant
    }
  }
}
