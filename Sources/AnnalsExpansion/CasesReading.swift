import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

/// The cases of an enum that a macro stores, or the mistakes in it.
struct CasesReading {
  /// A case.
  struct Case {
    /// The name without backticks.
    let bare: String
    /// The name as written after a dot.
    let member: String
    /// The labels of the values that the case holds, `nil` for values without a label.
    let labels: [String?]
    /// The name on disk.
    let name: DiskName
    /// Whether the case represents cases that a reader does not know.
    let standsForUnknown: Bool
    /// The token with the name of the case.
    let place: TokenSyntax
  }

  /// The cases in the order of their declaration, which determines their numbers.
  private(set) var cases: [Case] = []
  /// All mistakes. If there is any, no code may be generated.
  private(set) var complaints: [Diagnostic] = []

  private let hasTexts: Bool

  /// Reads the members of `declaration`.
  init(_ declaration: EnumDeclSyntax) {
    hasTexts =
      ["String", "Swift.String"].contains(
        declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription)
    if let generics = declaration.genericParameterClause {
      complain(generics, "a value has one shape and cannot be generic: write the types of its cases out")
    }
    for member in declaration.memberBlock.members {
      if let cases = member.decl.as(EnumCaseDeclSyntax.self) {
        complaints += cases.attributes.ignoredMarks(of: "value")
        for element in cases.elements { read(element, of: cases) }
      } else if let condition = member.decl.as(IfConfigDeclSyntax.self), condition.declaresContent {
        complain(condition, "a value has the same cases in every build: no #if around them")
      }
    }
    if cases.isEmpty, complaints.isEmpty {
      complain(
        declaration.name, "an enum without cases has no value to store: give it a case, or remove @Value")
    }
    findClashes()
  }

  private mutating func complain(_ node: some SyntaxProtocol, _ text: String) {
    complaints.append(Diagnostic(node, text))
  }

  private mutating func read(_ element: EnumCaseElementSyntax, of declaration: EnumCaseDeclSyntax) {
    let bare = element.name.bare
    var labels: [String?] = []
    for parameter in element.parameterClause?.parameters ?? [] {
      if let complaint = FieldType(parameter.type, of: "a value of case '\(bare)'").complaint {
        complaints.append(complaint)
      }
      labels.append(parameter.firstName.flatMap { $0.tokenKind == .wildcard ? nil : $0.asLabel })
    }
    let marks = marks(of: declaration, at: element)
    let marker = marks.attribute("UnknownCase")
    if let marker, element.parameterClause != nil {
      complain(
        marker, "a case that stands for unknown ones holds nothing: @UnknownCase case other")
    }
    let attribute = marks.attribute("Field")
    var names = NameArguments(of: attribute, example: "@Field(\"\(bare)\")")
    let given = names.name(nil)
    complaints += names.complaints
    if let node = names.expression("originalName") {
      complain(
        node, "a case keeps its name on disk when it is renamed in Swift: write that name, @Field(\"…\")")
    }
    if let node = names.expression("personal") ?? names.expression("erased") {
      complain(node, "a case is not personal: make the field of the record that holds the value personal")
    }
    if let node = names.expression("tag") {
      complain(node, "a case is no tag: tag a field of the record that holds the value")
    }
    cases.append(
      Case(
        bare: bare, member: element.name.written(for: .memberAccess), labels: labels,
        name: given ?? text(of: element) ?? DiskName(text: bare), standsForUnknown: marker != nil,
        place: element.name))
  }

  /// Reads the attributes of a case, which must be alone in its declaration.
  private mutating func marks(
    of declaration: EnumCaseDeclSyntax, at element: EnumCaseElementSyntax
  ) -> AttributeListSyntax {
    let marks = declaration.attributes
    guard declaration.elements.count > 1 else { return marks }
    if let mark = marks.attribute("Field") ?? marks.attribute("UnknownCase"),
      element == declaration.elements.first
    {
      complain(mark, "@\(mark.bareName) speaks of one case: give '\(element.name.bare)' a line of its own")
    }
    return []
  }

  /// Returns the raw value of a case in an enum of texts.
  private func text(of element: EnumCaseElementSyntax) -> DiskName? {
    guard hasTexts, let literal = element.rawValue?.value.as(StringLiteralExprSyntax.self) else { return nil }
    return literal.representedLiteralValue.map { DiskName(text: $0) }
  }

  private mutating func findClashes() {
    var owners: [DiskName: String] = [:]
    var written: Set<String> = []
    for one in cases {
      if ["self", "Type", "Protocol"].contains(one.bare) {
        complain(
          one.place,
          "Swift cannot say a case called '\(one.bare)' after a dot: call it something else and write @Field(\"\(one.bare)\") before it"
        )
      }
      if let problem = one.name.problem {
        complain(one.place, "\(problem): name the case with @Field(\"\(one.bare)\")")
      }
      if !written.insert(one.bare).inserted {
        // Swift 6.3 treats them as one in a switch, and the program traps at the second.
        complain(
          one.place,
          "two cases are called '\(one.bare)', which Swift cannot tell apart in a switch: give each a name of its own"
        )
      } else if let other = owners.updateValue(one.bare, forKey: one.name) {
        complain(
          one.place,
          "cases '\(other)' and '\(one.bare)' would both be '\(one.name.text)' on disk: give one of them another name with @Field(\"…\")"
        )
      }
    }
    for one in cases.filter(\.standsForUnknown).dropFirst() {
      complain(one.place, "one case stands for all unknown ones: remove @UnknownCase from the others")
    }
  }
}
