import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

/// The stored properties of a struct that a macro stores, or the mistakes in it.
struct FieldsReading {
  /// The fields in the order of their declaration, which is their order on disk.
  private(set) var fields: [StoredField] = []
  /// All mistakes. If there is any, no code may be generated.
  private(set) var complaints: [Diagnostic] = []
  /// Whether the struct has an initializer of its own inside its braces.
  private(set) var hasInitializer = false

  private let owner: String

  /// The modifiers and attributes that do not change how a property is stored.
  private static let harmless: Set<String> = [
    "Field", "Indexed", "available", "usableFromInline", "nonobjc", "preconcurrency", "_spi",
  ]

  /// Reads the members of `declaration`, which messages call `owner`: a record or a value.
  init(_ declaration: StructDeclSyntax, called owner: String) {
    self.owner = owner
    if let generics = declaration.genericParameterClause {
      complain(generics, "a \(owner) has one shape and cannot be generic: write the types of its fields out")
    }
    for member in declaration.memberBlock.members { read(member.decl) }
    findClashes()
    complaints += fields.findSubjects()
  }

  private mutating func complain(_ node: some SyntaxProtocol, _ text: String, fixes: [FixIt] = []) {
    complaints.append(Diagnostic(node, text, fixes: fixes))
  }

  private mutating func read(_ member: DeclSyntax) {
    if let condition = member.as(IfConfigDeclSyntax.self), condition.declaresContent {
      complain(condition, "a \(owner) has the same fields in every build: no #if around them")
    } else if member.is(InitializerDeclSyntax.self) {
      hasInitializer = true
    } else if let property = member.as(VariableDeclSyntax.self), !property.isStatic {
      readProperty(property)
    }
  }

  private mutating func readProperty(_ property: VariableDeclSyntax) {
    if property.bindings.allSatisfy(\.isComputed) { return }
    if let lazy = property.modifiers.first(where: { $0.name.tokenKind == .keyword(.lazy) }) {
      complain(
        lazy,
        "a stored field is not lazy: give it its value when the \(owner) is made, or compute it each time")
      return
    }
    for attribute in property.attributes.everywhere where !Self.harmless.contains(attribute.bareName) {
      complain(
        attribute,
        "a stored field has no property wrapper: store the plain value and wrap it outside the \(owner)")
      return
    }
    complaints += property.attributes.ignoredMarks(of: owner)
    // In `var a, b: Int` the type of the last applies to those before it.
    var type: TypeSyntax?
    var found: [StoredField] = []
    for binding in property.bindings.reversed() where !binding.isComputed {
      type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
      if let field = field(binding, type, of: property) { found.append(field) }
    }
    fields += found.reversed()
  }

  private mutating func field(
    _ binding: PatternBindingSyntax, _ type: TypeSyntax?, of property: VariableDeclSyntax
  ) -> StoredField? {
    guard let place = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
      complain(
        binding.pattern, "a field has one name and one type: declare each in a line of its own: var x: Int")
      return nil
    }
    let bare = place.bare
    let isConstant = property.bindingSpecifier.tokenKind == .keyword(.let)
    if isConstant, binding.initializer != nil {
      complain(
        binding,
        "'let \(bare)' has one value for ever and cannot be read back: write 'var \(bare)', or 'static let \(bare)' if it is no field",
        fixes: [.writing("var", for: property.bindingSpecifier)])
      return nil
    }
    guard let type else {
      let literal = binding.initializer?.value.literalType
      complain(
        binding.pattern,
        "write the type of '\(bare)': var \(bare): \(literal ?? "…"); what is stored must not depend on inference",
        fixes: literal.map { FixIt.adding(": \($0)", after: binding.pattern) } ?? [])
      return nil
    }
    if let complaint = FieldType(type, of: "field '\(bare)'").complaint {
      complaints.append(complaint)
      return nil
    }
    if ["self", "Self", "Type", "Protocol"].contains(bare) {
      complain(
        place,
        "key paths cannot say a property called '\(bare)': call it something else and write @Field(\"\(bare)\") before it"
      )
      return nil
    }
    var names = NameArguments(of: property.attributes.attribute("Field"), example: "@Field(\"title\")")
    let name = names.name(nil) ?? DiskName(text: bare)
    let originalName = names.name("originalName")
    let tag = names.tagName(of: owner)
    let personal = names.personalMark(of: owner)
    complaints += names.complaints
    if let originalName, originalName == name, let node = names.expression("originalName") {
      complain(
        node,
        "field '\(bare)' is called '\(name.text)' on disk already: give the name that it had in the version before, or leave originalName out"
      )
      return nil
    }
    return StoredField(
      bare: bare, property: place.written(for: .memberAccess), type: type,
      initial: binding.initializer?.value, isConstant: isConstant, name: name, originalName: originalName,
      tag: tag, personal: personal, place: place)
  }

  private mutating func findClashes() {
    var owners: [DiskName: String] = [:]
    var origins: [DiskName: String] = [:]
    for field in fields {
      if let other = owners.updateValue(field.bare, forKey: field.name) {
        complain(
          field.place,
          "fields '\(other)' and '\(field.bare)' would both be '\(field.name.text)' on disk: give one of them another name with @Field(\"…\")"
        )
      }
      guard let origin = field.originalName else { continue }
      if let other = origins.updateValue(field.bare, forKey: origin) {
        complain(
          field.place,
          "fields '\(other)' and '\(field.bare)' cannot both have been '\(origin.text)': leave the originalName of one out and give it its value in a rule"
        )
      }
    }
  }
}

extension VariableDeclSyntax {
  /// Whether it is a type property.
  var isStatic: Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class) }
  }
}

extension PatternBindingSyntax {
  /// Whether the property is computed; observers leave it stored.
  var isComputed: Bool {
    guard let block = accessorBlock else { return false }
    guard case .accessors(let accessors) = block.accessors else { return true }
    return accessors.contains { !["willSet", "didSet"].contains($0.accessorSpecifier.text) }
  }
}

extension IfConfigDeclSyntax {
  /// Whether one of the branches declares a property or a case.
  var declaresContent: Bool {
    clauses.contains { clause in
      guard case .decls(let members) = clause.elements else { return false }
      return members.contains {
        $0.decl.is(VariableDeclSyntax.self) || $0.decl.is(EnumCaseDeclSyntax.self)
          || $0.decl.as(IfConfigDeclSyntax.self)?.declaresContent == true
      }
    }
  }
}

extension ExprSyntax {
  /// The type that Swift infers for this value, if it is a literal.
  fileprivate var literalType: String? {
    if `is`(IntegerLiteralExprSyntax.self) { return "Int" }
    if `is`(FloatLiteralExprSyntax.self) { return "Double" }
    if `is`(BooleanLiteralExprSyntax.self) { return "Bool" }
    return `is`(StringLiteralExprSyntax.self) ? "String" : nil
  }
}
