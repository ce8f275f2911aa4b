import SwiftDiagnostics
import SwiftSyntax

/// What `@Schema` finds in the enum that it stands on, or what is wrong with it.
struct SchemaReading {
  /// A record of the schema.
  struct Record {
    /// The name of the type as it is written, with backticks where it has them.
    let type: String
    /// The case that holds it.
    let caseName: CaseName
  }

  /// The name of the schema as it is written.
  private(set) var name = ""
  /// The visibility of the schema.
  private(set) var access = Access.module
  /// The numbers of the version as they are written.
  private(set) var version: [String] = []
  /// The records in the order in which they are declared.
  private(set) var records: [Record] = []
  /// Everything that is wrong; where there is anything, nothing may be written.
  private(set) var complaints: [Diagnostic] = []

  private var caseOwners: [String: String] = [:]

  /// Names of schemas that the written code would hide from itself.
  private static let takenSchemas: Set<String> = ["Event", "Cases", "Steps", "Annals", "Swift"]
  /// Names of records that would hide names which Swift or the written code uses.
  private static let takenTypes: Set<String> = [
    "Event", "Annals", "Swift", "Type", "Self", "Protocol",
  ]
  /// Names of cases that would stand beside a member of the written code, or that key paths cannot say.
  private static let takenCases: Set<String> = ["cases", "records", "steps", "self"]

  /// Reads the arguments of `attribute` and the members of `declaration`.
  init(_ attribute: AttributeSyntax, on declaration: some DeclGroupSyntax) {
    guard let schema = declaration.as(EnumDeclSyntax.self) else {
      let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text ?? "V1"
      complain(
        declaration.introducer,
        "@Schema belongs on an enum without cases, which only gives its records a home: enum \(name) { … }")
      return
    }
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
    if records.isEmpty, complaints.isEmpty {
      complain(
        schema.name,
        "a schema needs at least one record: write struct Placed: Record { … } or typealias Placed = V1.Placed inside it"
      )
    }
  }

  private mutating func complain(_ node: some SyntaxProtocol, _ text: String) {
    complaints.append(Diagnostic(node, text))
  }

  private mutating func readVersion(_ attribute: AttributeSyntax) {
    guard case .argumentList(let arguments) = attribute.arguments else { return }
    for argument in arguments {
      guard let number = argument.expression.as(IntegerLiteralExprSyntax.self) else {
        complain(
          argument.expression, "a schema's version is three whole numbers written out: @Schema(1, 0, 0)")
        continue
      }
      version.append(number.literal.text)
    }
  }

  private mutating func read(_ member: DeclSyntax, of schema: TokenSyntax) {
    if let record = member.as(StructDeclSyntax.self) {
      guard record.inheritanceClause.saysRecord else { return }
      if let generics = record.genericParameterClause {
        complain(generics, "a record is stored under one name and cannot be generic")
        return
      }
      add(record.name, record.modifiers.access, to: schema)
    } else if let alias = member.as(TypeAliasDeclSyntax.self) {
      readCarried(alias, of: schema)
    } else if let cases = member.as(EnumCaseDeclSyntax.self) {
      complain(cases, "a schema has no cases of its own: declare each event as struct …: Record inside it")
    } else if let condition = member.as(IfConfigDeclSyntax.self) {
      complain(condition, "a schema is the same in every build: nothing inside it may stand in #if")
    } else if let other = member.asProtocol((any DeclGroupSyntax).self), other.inheritanceClause.saysRecord {
      let name = member.asProtocol((any NamedDeclSyntax).self)?.name.text ?? "…"
      complain(other.introducer, "a record is a struct: write struct \(name): Record { … }")
    }
  }

  /// Every typealias in a schema carries a record, so that none is left out in silence.
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
    guard path.name.bare == name else {
      let was = path.name.bare
      complain(
        alias.name,
        "a carried record keeps its name '\(was)': write typealias \(was) = \(right.trimmedDescription), or declare struct \(name): Record { … } and a rule that takes \(was) to it"
      )
      return
    }
    add(alias.name, alias.modifiers.access, to: schema)
  }

  private mutating func add(_ name: TokenSyntax, _ recordAccess: Access, to schema: TokenSyntax) {
    let type = name.bare
    let caseName = CaseName(of: type)
    if Self.takenTypes.contains(type) || Self.takenCases.contains(caseName.bare)
      || [type, caseName.bare].contains(schema.bare)
    {
      complain(
        name,
        "a record cannot be called '\(type)', a name that Swift or the code of @Schema uses: call it something else and keep the name on disk with static var recordName: String { \"\(type)\" }"
      )
      return
    }
    if access > .module, recordAccess < access {
      complain(
        name,
        "record '\(type)' must be as visible as its schema: write '\(access.prefix.dropLast())' before it")
      return
    }
    if let other = caseOwners[caseName.bare] {
      complain(
        name, "records '\(other)' and '\(type)' would both be the case '\(caseName.bare)': rename one of them"
      )
      return
    }
    caseOwners[caseName.bare] = type
    records.append(Record(type: name.text, caseName: caseName))
  }
}

extension InheritanceClauseSyntax? {
  /// Whether `Record` or `Annals.Record` stands in the clause, alone or among others.
  fileprivate var saysRecord: Bool {
    self?.inheritedTypes.contains { Self.isRecord($0.type) } ?? false
  }

  private static func isRecord(_ type: TypeSyntax) -> Bool {
    if let name = type.as(IdentifierTypeSyntax.self) { return name.name.bare == "Record" }
    if let member = type.as(MemberTypeSyntax.self) {
      return member.name.bare == "Record" && member.baseType.trimmedDescription == "Annals"
    }
    if let marked = type.as(AttributedTypeSyntax.self) { return isRecord(marked.baseType) }
    if let all = type.as(CompositionTypeSyntax.self) { return all.elements.contains { isRecord($0.type) } }
    return false
  }
}
