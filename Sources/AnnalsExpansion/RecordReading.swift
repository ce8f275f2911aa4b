import SwiftDiagnostics
import SwiftSyntax

/// The struct that `@Record` is attached to and the declarations around it, or the mistakes in them.
struct RecordReading {
  /// The name on disk.
  private(set) var name = DiskName(text: "")
  /// The names on disk that the record had in the previous version.
  private(set) var formerNames: [DiskName] = []
  /// The names that no field may have any more.
  private(set) var reservedNames: [DiskName] = []
  /// The visibility of the record.
  private(set) var access = Access.module
  /// Its stored properties.
  private(set) var fields: [StoredField] = []
  /// Whether the record has tags, of its fields or by a function of its own.
  private(set) var hasTags = false
  /// Whether the struct has an initializer of its own inside its braces.
  private(set) var hasInitializer = false
  /// All mistakes. If there is any, no field may be generated.
  private(set) var complaints: [Diagnostic] = []
  /// Whether a record with a mistake may get a conformance without fields, so that no other errors follow.
  private(set) var mayStandIn = false

  /// Reads the arguments of `attribute`, the members of `declaration` and the declarations around it, nearest
  /// first.
  init(_ attribute: AttributeSyntax, on declaration: some DeclGroupSyntax, within surroundings: [Syntax]) {
    guard let record = declaration.as(StructDeclSyntax.self) else {
      refuse(attribute, on: declaration)
      return
    }
    access = record.modifiers.access
    mayStandIn = record.mayStandIn
    readPlace(attribute, of: record, surroundings)
    readNames(attribute, of: record)
    let reading = FieldsReading(record, called: "record")
    complaints += reading.complaints
    fields = reading.fields
    hasInitializer = reading.hasInitializer
    for field in fields where reservedNames.contains(field.name) {
      complain(
        field.place,
        "the name '\(field.name.text)' is reserved: a field that is gone cannot come back; give '\(field.bare)' another name with @Field(\"…\")"
      )
    }
    readStatics(of: record)
    readTags(of: record)
    readPersonal(of: record, surroundings.first)
    if complaints.isEmpty { readHome(attribute, of: record, surroundings.first) }
  }

  private mutating func complain(_ node: some SyntaxProtocol, _ text: String, fixes: [FixIt] = []) {
    complaints.append(Diagnostic(node, text, fixes: fixes))
  }

  private mutating func refuse(_ attribute: AttributeSyntax, on declaration: some DeclGroupSyntax) {
    let name = declaration.declaredName ?? "…"
    if declaration.is(EnumDeclSyntax.self) {
      complain(
        attribute, "an event is a struct; an enum inside one is a @Value: write @Value enum \(name) { … }",
        fixes: attribute.lastName.map { [.writing("Value", for: $0)] } ?? [])
    } else {
      complain(
        declaration.introducer, "an event is a struct: write @Record struct \(name) { … }",
        fixes: [.writing("struct", for: declaration.introducer)])
    }
  }

  /// `@Schema` sees only declarations directly inside its braces.
  private mutating func readPlace(
    _ attribute: AttributeSyntax, of record: StructDeclSyntax, _ surroundings: [Syntax]
  ) {
    if record.attribute("Value") != nil {
      complain(attribute, "a @Record is stored as a @Value is: remove @Value")
    }
    let name = record.name.bare
    guard let nearest = surroundings.first else { return }
    if let outer = nearest.as(ExtensionDeclSyntax.self), !Self.isAtHome(record, in: nearest) {
      complain(
        attribute,
        "@Schema cannot see a record in an extension: move '\(name)' into the braces of '\(outer.extendedType.trimmedDescription)', or declare 'struct \(name): Record' elsewhere and list it there as a typealias"
      )
    } else if nearest.attribute("Schema") == nil,
      surroundings.contains(where: { $0.attribute("Schema") != nil })
    {
      let outer = nearest.declaredName.map { "'\($0)'" } ?? "its scope"
      complain(
        attribute,
        "@Schema sees only the records directly inside its braces: move '\(name)' out of \(outer), or make it a @Value",
        fixes: attribute.lastName.map { [.writing("Value", for: $0)] } ?? [])
    }
    if let modifier = record.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }) {
      complain(
        modifier, "a private record cannot be seen by the code of its schema: write 'fileprivate'",
        fixes: [.writing("fileprivate", for: modifier.name)])
    }
  }

  /// A record outside every schema is never an event, which is seldom intended.
  private mutating func readHome(
    _ attribute: AttributeSyntax, of record: StructDeclSyntax, _ nearest: Syntax?
  ) {
    guard nearest?.attribute("Schema") == nil, !Self.isAtHome(record, in: nearest) else { return }
    let name = record.name.bare
    complain(
      attribute,
      "'\(name)' is in no schema and would never be an event: move it into the braces of an enum with @Schema; write 'struct \(name): ProjectionRow' for a row, 'struct \(name): Record' for any other record, or @Value for part of one"
    )
  }

  /// Whether the record states its use, or is in a type that uses it.
  private static func isAtHome(_ record: StructDeclSyntax, in nearest: Syntax?) -> Bool {
    record.inheritanceClause.saysRecord || record.inheritanceClause.says(["ProjectionRow"], of: "Annals")
      || (nearest?.inheritance).says(["Aggregate", "VersionedSchema"], of: "Annals")
  }

  private mutating func readNames(_ attribute: AttributeSyntax, of record: StructDeclSyntax) {
    var names = NameArguments(of: attribute, example: "@Record(\"\(record.name.bare)\")")
    name = names.name(nil) ?? DiskName(text: record.name.bare)
    formerNames = names.names("formerly")
    reservedNames = names.names("reserved")
    complaints += names.complaints
    if formerNames.contains(name), let node = names.expression("formerly") {
      complain(
        node, "the record is called '\(name.text)' on disk already: give only names that it had before")
    }
  }

  /// Static members must not repeat the arguments of the attribute.
  private mutating func readStatics(of record: StructDeclSyntax) {
    let arguments = [
      "recordName": "@Record(\"\(record.name.bare)\")",
      "formerNames": "@Record(formerly: [\"…\"])", "reservedNames": "@Record(reserved: [\"…\"])",
    ]
    for member in record.memberBlock.members {
      guard let property = member.decl.as(VariableDeclSyntax.self), property.isStatic else { continue }
      for binding in property.bindings {
        guard let written = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
          let argument = arguments[written.bare]
        else { continue }
        complain(written, "@Record writes '\(written.bare)' itself: say it in the attribute, \(argument)")
      }
    }
  }

  /// Only events are encrypted.
  private mutating func readPersonal(of record: StructDeclSyntax, _ nearest: Syntax?) {
    guard let mark = fields.lazy.compactMap(\.personal).first else { return }
    let isRow = record.inheritanceClause.says(["ProjectionRow"], of: "Annals")
    if isRow || (nearest?.inheritance).says(["Aggregate"], of: "Annals") {
      complain(
        mark.place,
        "only events are encrypted: remove personal: here; a dropped key folds the views and states of its store again"
      )
    }
  }

  /// The tags of a record come from its fields or from a function of its own.
  private mutating func readTags(of record: StructDeclSyntax) {
    hasTags = fields.contains { $0.tag != nil }
    for member in record.memberBlock.members {
      guard let function = member.decl.as(FunctionDeclSyntax.self), function.isTags else { continue }
      if hasTags {
        complain(
          function.name,
          "@Record writes 'tags' itself from the fields that are tags: remove the function, or tag: from the fields"
        )
      }
      hasTags = true
    }
  }
}

extension StructDeclSyntax {
  /// Whether the code of its schema can use it, so that a mistake in it need not cause other errors.
  var mayStandIn: Bool {
    genericParameterClause == nil && !modifiers.contains { $0.name.tokenKind == .keyword(.private) }
  }
}

extension FunctionDeclSyntax {
  /// Whether it is `static func tags(_:)`.
  fileprivate var isTags: Bool {
    name.bare == "tags" && modifiers.contains { $0.name.tokenKind == .keyword(.static) }
      && signature.parameterClause.parameters.count == 1
      && signature.parameterClause.parameters.first?.firstName.tokenKind == .wildcard
  }
}

extension Syntax {
  /// The inheritance clause of this type or extension.
  fileprivate var inheritance: InheritanceClauseSyntax? {
    asProtocol((any DeclGroupSyntax).self)?.inheritanceClause
  }
}
