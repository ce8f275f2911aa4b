import SwiftDiagnostics
import SwiftSyntax

/// The enum that `@Schema` is attached to, or the mistakes in it.
struct SchemaReading {
  /// A record of the schema.
  struct Record {
    /// The name of the type as written, including any backticks.
    let type: String
    /// The case that holds it.
    let caseName: CaseName
    /// Whether it is a typealias, so that nothing here shows that it is a record.
    let isCarried: Bool
    /// The token with the name of the record.
    let place: TokenSyntax
  }

  /// The name of the schema as written.
  private(set) var name = ""
  /// The visibility of the schema.
  private(set) var access = Access.module
  /// The numbers of the version as written.
  private(set) var version: [String] = []
  /// The stability of the schema as written; `nil` if there is none.
  private(set) var stability: String?
  /// The records in the order of their declaration.
  private(set) var records: [Record] = []
  /// All mistakes. If there is any, the schema has only the records without one.
  private(set) var complaints: [Diagnostic] = []
  /// Whether a schema with a mistake may get its code, so that no other errors follow.
  private(set) var mayStandIn = false
  /// Code that is probably a mistake.
  private(set) var warnings: [Diagnostic] = []

  private var caseOwners: [String: String] = [:]

  /// Names of schemas that the generated code could then not use.
  private static let takenSchemas: Set<String> = ["Event", "Cases", "Steps", "Annals", "Swift"]
  /// Names of records that would hide names which Swift or the generated code uses.
  private static let takenTypes: Set<String> = [
    "Event", "Annals", "Swift", "Type", "Self", "Protocol",
  ]
  /// Names of cases that would conflict with a member of the generated code, or that key paths cannot use.
  private static let takenCases: Set<String> = ["cases", "records", "steps", "self"]

  private static let sameInEveryBuild =
    "a schema is the same in every build: nothing inside it may be in #if"

  /// Reads the arguments of `attribute` and the members of `declaration`.
  init(_ attribute: AttributeSyntax, on declaration: some DeclGroupSyntax) {
    guard
      let schema = declaration as? any DeclGroupSyntax & NamedDeclSyntax & WithGenericParametersSyntax
    else { return }
    let isEnum = schema.is(EnumDeclSyntax.self)
    if !isEnum {
      complain(
        schema.introducer,
        "@Schema belongs on an enum without cases, which only gives its records a home: enum \(schema.name.text) { … }",
        fixes: [.writing("enum", for: schema.introducer)])
    }
    mayStandIn =
      (isEnum || schema.is(StructDeclSyntax.self)) && schema.genericParameterClause == nil
      && !Self.takenSchemas.contains(schema.name.bare)
    if Self.takenSchemas.contains(schema.name.bare) {
      complain(
        schema.name,
        "a schema cannot be called '\(schema.name.bare)', a name that the code of @Schema uses: call it something else, such as OrdersV1"
      )
    }
    if let generics = schema.genericParameterClause {
      complain(generics, "a schema is one closed list of records and cannot be generic")
    }
    name = schema.name.text
    access = schema.modifiers.access
    readVersion(attribute)
    for member in schema.memberBlock.members { read(member.decl, of: schema.name) }
    let isEmpty = !schema.memberBlock.members.contains { $0.decl.attribute("Record") != nil }
    if records.isEmpty, complaints.isEmpty, isEmpty {
      complain(
        schema.name,
        "a schema needs at least one record: write @Record struct Placed { … } or typealias Placed = V1.Placed inside it"
      )
    }
  }

  private mutating func complain(_ node: some SyntaxProtocol, _ text: String, fixes: [FixIt] = []) {
    complaints.append(Diagnostic(node, text, fixes: fixes))
  }

  private mutating func readVersion(_ attribute: AttributeSyntax) {
    guard case .argumentList(let arguments) = attribute.arguments else { return }
    for (index, argument) in arguments.enumerated() {
      if index == 3 {
        readStability(argument.expression)
      } else if let number = argument.expression.as(IntegerLiteralExprSyntax.self) {
        version.append(number.literal.text)
      } else {
        complain(
          argument.expression, "a schema's version is three whole numbers written out: @Schema(1, 0, 0)")
        version.append("0")
      }
    }
  }

  private mutating func readStability(_ expression: ExprSyntax) {
    let name = expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
    guard let name, ["released", "draft", "bridge"].contains(name) else {
      complain(
        expression,
        "whether a schema may still change is written out: @Schema(1, 0, 0, .draft) or @Schema(1, 0, 0, .bridge)"
      )
      return
    }
    stability = name
  }

  private mutating func read(_ member: DeclSyntax, of schema: TokenSyntax) {
    let marks = member.asProtocol((any WithAttributesSyntax).self)?.attributes
    if let condition = marks?.conditional(["Record", "Value"]).first {
      complain(condition, Self.sameInEveryBuild)
    } else if let record = member.as(StructDeclSyntax.self) {
      let isMarked = record.attribute("Record") != nil
      guard isMarked || record.inheritanceClause.saysRecord else {
        readUnmarked(record, record.inheritanceClause)
        return
      }
      // @Record reports it.
      if isMarked, !record.mayStandIn { return }
      if let generics = record.genericParameterClause {
        complain(generics, "a record is stored under one name and cannot be generic")
        return
      }
      add(record.name, record.modifiers, to: schema, declared: isMarked)
    } else if let alias = member.as(TypeAliasDeclSyntax.self) {
      readCarried(alias, of: schema)
    } else if let cases = member.as(EnumCaseDeclSyntax.self) {
      complain(cases, "a schema has no cases of its own: declare each event as @Record struct … inside it")
    } else if let condition = member.as(IfConfigDeclSyntax.self) {
      complain(condition, Self.sameInEveryBuild)
    } else if let other = member.asProtocol((any DeclGroupSyntax).self) {
      // @Record reports mistakes in the declaration it is attached to.
      guard member.attribute("Record") == nil else { return }
      if other.inheritanceClause.saysRecord {
        complain(
          other.introducer, "a record is a struct: write @Record struct \(member.declaredName ?? "…") { … }")
      } else if member.is(EnumDeclSyntax.self) {
        readUnmarked(other, other.inheritanceClause)
      }
    }
  }

  /// Reports a struct or enum that is stored neither as an event nor, as far as can be seen, as part of one.
  private mutating func readUnmarked(_ declaration: some DeclGroupSyntax, _ clause: InheritanceClauseSyntax?)
  {
    guard declaration.attribute("Value") == nil, !clause.saysStored else { return }
    let name = declaration.declaredName ?? "…"
    guard declaration.is(StructDeclSyntax.self) else {
      warnings.append(
        Diagnostic(
          warning: declaration.introducer,
          "enum '\(name)' is no part of this schema's events: mark it @Value if it is part of one, or move it outside the schema's braces",
          fixes: FixIt.inserting("@Value", before: declaration)))
      return
    }
    warnings.append(
      Diagnostic(
        warning: declaration.introducer,
        "struct '\(name)' is no event of this schema: mark it @Record to store it as an event, @Value if it is part of one",
        fixes: FixIt.inserting("@Record", before: declaration)
          + FixIt.inserting("@Value", before: declaration)))
  }

  /// Every typealias in a schema declares an unchanged record, so that none is left out silently.
  private mutating func readCarried(_ alias: TypeAliasDeclSyntax, of schema: TokenSyntax) {
    let name = alias.name.bare
    let right = alias.initializer.value
    guard alias.genericParameterClause == nil, let path = right.as(MemberTypeSyntax.self),
      path.genericArgumentClause == nil
    else {
      complain(
        right,
        "a typealias in a schema carries a record of an earlier one, named through that schema: typealias \(name) = V1.\(name); move any other typealias outside the schema's braces"
      )
      return
    }
    if path.name.bare != name {
      let was = path.name.bare
      complain(
        alias.name,
        "a carried record keeps its name '\(was)': write typealias \(was) = \(right.trimmedDescription), or declare @Record(formerly: [\"\(was)\"]) struct \(name) { … } to rename it"
      )
    }
    add(alias.name, alias.modifiers, to: schema, declared: false, carried: true)
  }

  private mutating func add(
    _ name: TokenSyntax, _ modifiers: DeclModifierListSyntax, to schema: TokenSyntax, declared: Bool,
    carried: Bool = false
  ) {
    let type = name.bare
    let caseName = CaseName(of: type)
    let hidesNames = Self.takenTypes.contains(type) || [type, caseName.bare].contains(schema.bare)
    if hidesNames || Self.takenCases.contains(caseName.bare) {
      mayStandIn = mayStandIn && !hidesNames
      let keeping = declared ? "@Record(\"\(type)\")" : "static var recordName: String { \"\(type)\" }"
      complain(
        name,
        "a record cannot be called '\(type)', a name that Swift or the code of @Schema uses: call it something else and keep the name on disk with \(keeping)"
      )
      return
    }
    if access > .module, modifiers.access < access {
      complain(
        name,
        "record '\(type)' must be as visible as its schema: write '\(access.prefix.dropLast())' before it",
        fixes: name.parent.map { FixIt.inserting(String(access.prefix.dropLast()), before: $0) } ?? [])
      return
    }
    if let other = caseOwners[caseName.bare] {
      complain(
        name, "records '\(other)' and '\(type)' would both be the case '\(caseName.bare)': rename one of them"
      )
      return
    }
    caseOwners[caseName.bare] = type
    records.append(Record(type: name.text, caseName: caseName, isCarried: carried, place: name))
  }
}

extension InheritanceClauseSyntax? {
  /// Whether the clause contains `Record` or `Annals.Record`.
  var saysRecord: Bool {
    says(Self.records, of: "Annals")
  }

  /// Whether the clause says how values are stored when the type is part of an event.
  fileprivate var saysStored: Bool {
    says(["StoredValue"], of: "Annals")
      || says(["Codable", "Encodable", "Decodable", "CodingKey"], of: "Swift")
  }

  private static var records: Set<String> { ["Record", "ShapedRecord", "TreeRecord"] }

  /// Whether the clause contains one of the protocols called `names` of `module`.
  func says(_ names: Set<String>, of module: String) -> Bool {
    self?.inheritedTypes.contains { Self.isOne(of: names, module, $0.type) } ?? false
  }

  private static func isOne(of names: Set<String>, _ module: String, _ type: TypeSyntax) -> Bool {
    if let name = type.as(IdentifierTypeSyntax.self) { return names.contains(name.name.bare) }
    if let member = type.as(MemberTypeSyntax.self) {
      return names.contains(member.name.bare) && member.baseType.trimmedDescription == module
    }
    if let marked = type.as(AttributedTypeSyntax.self) { return isOne(of: names, module, marked.baseType) }
    if let all = type.as(CompositionTypeSyntax.self) {
      return all.elements.contains { isOne(of: names, module, $0.type) }
    }
    return false
  }
}
