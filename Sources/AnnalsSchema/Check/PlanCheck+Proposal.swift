public import AnnalsCoding
internal import AnnalsShapes

extension PlanCheck {
  /// A line of Swift that would settle something that the check found.
  ///
  /// Read it before you use it: only you know whether two fields are the same, and which value older events
  /// have.
  public struct Proposal: Hashable, Sendable {
    /// Where the line belongs.
    public enum Place: String, Hashable, Sendable {
      /// In the newer schema, in place of the declaration of a field or record.
      case schema
      /// In the stage.
      case stage
    }
    /// The older version of the stage.
    public let from: SchemaVersion
    /// The newer version of the stage.
    public let to: SchemaVersion
    /// The name on disk of the record, in the newer version.
    public let record: String
    /// Where the line belongs.
    public let place: Place
    /// The line.
    public let line: String
    /// The reason in a few words.
    public let reason: String
  }

  /// Returns suggested lines for the fields and records of a plan that are renamed, new or forgotten:
  /// `@Field(originalName:)`, `@Record(formerly:)` and `Default`.
  ///
  /// A stage without such a finding has none. The constants are the simplest values of their types.
  ///
  /// - Complexity: O(records · versions).
  public static func proposals<Plan: SchemaMigrationPlan>(for plan: Plan.Type) -> [Proposal] {
    let outline = Plan.stages.outline
    return outline.stages.indices.flatMap { outline.proposals(at: $0) }
  }
}

extension PlanCheck.Proposal: CustomStringConvertible {
  /// The line and its reason, as a comment.
  public var description: String { "\(line)    // \(reason)" }
}

extension ChainOutline {
  /// Returns the proposals for the stage numbered `index`.
  fileprivate func proposals(at index: Int) -> [PlanCheck.Proposal] {
    let (from, to, stage) = (schemas[index], schemas[index + 1], stages[index])
    var proposals: [PlanCheck.Proposal] = []
    for (number, record) in from.records.enumerated() {
      switch crossings[index][number] {
      case .converted(let target, let comparison):
        proposals += Self.proposals(comparison, for: to.records[target], from, to)
      case .rule:
        guard let keep = stage.rule(for: number)?.keep, to.records.indices.contains(keep.target),
          let comparison = stage.keptComparison(of: number, from: from, to: to)
        else { continue }
        proposals += Self.proposals(comparison, for: to.records[keep.target], from, to)
      case .forgotten:
        for heir in heirs(of: record, at: index) {
          proposals.append(
            .init(
              from: from.version, to: to.version, record: heir.name.text, place: .schema,
              line:
                "@Record(formerly: [\(SwiftName.literal(record.name.text))]) struct \(SwiftName(existing: heir.typeName).written)",
              reason: "if '\(heir.name.text)' of \(to.name) is '\(record.name.text)' of \(from.name)"))
        }
      case .carried, .redeclared: continue
      }
    }
    return proposals
  }

  /// Returns the proposals for the fields of one record.
  private static func proposals(
    _ comparison: ShapeComparison, for record: RecordOutline, _ from: SchemaOutline, _ to: SchemaOutline
  ) -> [PlanCheck.Proposal] {
    func proposal(_ place: PlanCheck.Proposal.Place, _ line: String, _ reason: String) -> PlanCheck.Proposal {
      .init(
        from: from.version, to: to.version, record: record.name.text, place: place, line: line,
        reason: reason)
    }
    guard let shape = record.shape?.shape else { return [] }
    var doubts: Set<ExactText> = []
    var proposals: [PlanCheck.Proposal] = []
    for change in comparison.changes {
      guard case .possibleRename(let original) = change.kind, let found = shape.field(at: change.field) else {
        continue
      }
      doubts.insert(ExactText(change.field))
      var types = SwiftTypes([], in: "", access: "", except: [])
      let type = types.type(found.shape, named: found.name)
      let property = SwiftName(found.name)
      let disk = ExactText(property.bare) == ExactText(found.name) ? "" : SwiftName.literal(found.name) + ", "
      var personal: [String] = []
      if let subject = found.subject {
        // The property of a field whose name on disk is no Swift name is not known.
        let isProperty = ExactText(SwiftName(subject).bare) == ExactText(subject)
        personal = types.personal(found, of: SwiftName(existing: isProperty ? subject : "…"))
      }
      let marks = (["originalName: \(SwiftName.literal(original))"] + personal).joined(separator: ", ")
      proposals.append(
        proposal(
          .schema,
          "@Field(\(disk)\(marks)) var \(property.written): \(type)",
          "in '\(record.name.text)' of \(to.name), if it is `\(change.field.sibling(original))` of \(from.name)"
        ))
    }
    for change in comparison.changes where change.kind == .addedRequired {
      guard let found = shape.field(at: change.field) else { continue }
      let isDoubted = doubts.contains(ExactText(change.field))
      let names = change.field.split(separator: ".", omittingEmptySubsequences: false)
      let path = names.map { SwiftName(existing: String($0)).written }.joined(separator: ".")
      let at = shape.isReachable(change.field) ? "" : "at: "
      let reason =
        found.shape.simplest == nil
        ? "choose the value that older events have" : "the value that older events have"
      proposals.append(
        proposal(
          .stage,
          "Default(\\.\(SwiftName(existing: record.caseName).written), \(at)\\.\(path), \(found.shape.simplest ?? "…"))",
          isDoubted ? "if it is a new field: \(reason)" : reason))
    }
    return proposals
  }
}

extension RecordShape {
  /// Returns the field at a path of names, through optionals, collections and cases.
  fileprivate func field(at path: String) -> FieldShape? {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map { ExactText(String($0)) }
    var found = FieldShape("", .record(fields))
    var rest = names[...]
    while let name = rest.popFirst() {
      switch found.shape.content {
      case .record(let fields):
        guard let field = fields.first(where: { ExactText($0.name) == name }) else { return nil }
        found = field
      case .choice(let cases):
        guard let oneCase = cases.first(where: { ExactText($0.name) == name }) else { return nil }
        found = FieldShape(oneCase.name, .record(oneCase.values))
      default: return nil
      }
    }
    return found
  }
}

extension ValueShape {
  /// The type without optionals and collections around it.
  fileprivate var content: ValueShape {
    switch self {
    case .optional(let inner), .list(let inner), .set(let inner), .map(_, let inner): inner.content
    default: self
    }
  }

  /// The simplest value in Swift; `nil` if there is no obvious one.
  fileprivate var simplest: String? {
    switch self {
    case .bool: "false"
    case .integer, .decimal: "0"
    case .float, .double: "0.0"
    case .text: "\"\""
    case .list, .set: "[]"
    case .map: "[:]"
    case .bytes: "Data()"
    case .any: ".null"
    case .optional: "nil"
    case .date, .uuid, .url, .record, .choice, .enclosing, .codable: nil
    }
  }
}
