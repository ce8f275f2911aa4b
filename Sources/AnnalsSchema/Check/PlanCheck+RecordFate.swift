internal import AnnalsCoding
package import AnnalsShapes

extension PlanCheck {
  /// The conversion of one record in one stage.
  public struct RecordFate: Sendable {
    /// The kind of conversion.
    public enum Outcome: Hashable, Sendable {
      /// The record is unchanged, at no cost.
      case carried
      /// The record is read in its new shape.
      case converted
      /// A rule converts each record to an event of one of these records; any record if the list is empty.
      case upcast(into: [String])
      /// A rule converts each record to one of this record. It computes the fields in the list, by name on
      /// disk, and keeps the others.
      case kept(into: String, changing: [String])
      /// A rule converts each record to any number of events of these records; any record if the list is
      /// empty.
      case split(into: [String])
      /// A rule combines neighbours in a stream into any number of events of these records.
      case folded(into: [String])
      /// A rule drops the record for this reason.
      case dropped(reason: String)
      /// A rule keeps the record in the log as it is stored, and delivers nothing for it.
      case retained
      /// The record is new.
      case added
      /// The stage does not mention the record, so the plan is invalid.
      case forgotten
      /// The record has another type, one of the two types has no shape, and the stage has no rule, so the
      /// plan is invalid.
      case redeclared
    }

    /// The name on disk, in the older version if it has the record.
    public let name: String
    /// The name on disk in the newer version; `nil` if the record is missing there or made by a rule.
    public let newName: String?
    /// The kind of conversion.
    public let outcome: Outcome
    /// How the change must be made: the strictest class of its fields, or `custom` if it needs a rule.
    public let changeClass: ChangeClass
    /// A description of the record that a program of the newer version reads from older events.
    public let newReadsOld: String
    /// A description of the record that a program of the older version reads from newer events.
    public let oldReadsNew: String
    /// The changes of its fields, in the order of the newer version.
    public let fields: [FieldChange]
    /// The names of the unchanged fields.
    public let unchanged: [String]
    /// Whether programs of the older version need a downcast that the stage lacks.
    let needsDowncast: Bool
  }
}

extension PlanCheck.RecordFate {
  /// Creates the fate of the record numbered `number` in the stage numbered `index`.
  init(
    _ outline: ChainOutline, _ number: Int, at index: Int, target: Int?,
    constants: [Int: [ExactText: String]], forbidden: [ShapeChange]
  ) {
    let older = outline.schemas[index].records[number]
    let newer = outline.schemas[index + 1].records
    let crossing = outline.crossings[index][number]
    name = older.name.text
    var changes: [ShapeChange] = []
    var isRuled = false
    let keep = outline.stages[index].rule(for: number)?.keep
    var computed: [String] = []
    let forms = outline.bridgeForms(ofStage: index)
    // A rule or an alias makes a record of another name; older programs do not know aliases.
    let isRenamed = target.map { newer.indices.contains($0) && newer[$0].name != older.name } ?? false
    switch crossing {
    case .carried:
      outcome = .carried
      (newReadsOld, oldReadsNew) = isRenamed ? ("an alias", "an unknown type") : ("as is", "as is")
    case .converted(_, let comparison):
      outcome = .converted
      (newReadsOld, oldReadsNew) =
        isRenamed ? ("an alias", "an unknown type") : ("field by field", "field by field")
      changes = comparison.changes
    case .redeclared:
      outcome = .redeclared
      newReadsOld = "needs a rule"
      oldReadsNew = forms.flatMap { Self.reading($0, [target].compactMap(\.self)) } ?? "needs a downcast"
    case .forgotten:
      outcome = .forgotten
      (newReadsOld, oldReadsNew) = ("needs a rule", "-")
    case .rule(.nothing(let reason)):
      outcome = .dropped(reason: reason)
      (newReadsOld, oldReadsNew) = ("dropped, counted", "-")
    case .rule(.retained):
      outcome = .retained
      (newReadsOld, oldReadsNew) = ("skipped, kept as raw", "-")
    case .rule(let effect):
      var into: [String] = []
      if case .cases(let cases) = effect {
        into = cases.sorted().filter(newer.indices.contains).map { newer[$0].name.text }
      }
      isRuled = true
      switch outline.stages[index].rule(for: number)?.word {
      case .fold:
        outcome = .folded(into: into)
        (newReadsOld, oldReadsNew) = ("the rule, at the last of each group", "an unknown type")
      case let word:
        let isSplit = word == .split
        if let keep, let target, newer.indices.contains(target) {
          computed = keep.names(in: newer[target])
          outcome = .kept(into: newer[target].name.text, changing: computed)
        } else {
          outcome = isSplit ? .split(into: into) : .upcast(into: into)
        }
        newReadsOld = "the rule"
        let outputs = newer.indices.filter { effect.allows($0) }
        oldReadsNew =
          forms.flatMap { Self.reading($0, outputs) }
          ?? (isSplit ? "needs a downcast, rarely possible" : "needs a downcast")
      }
      if let target, newer.indices.contains(target), let old = older.shape?.shape,
        let new = newer[target].shape?.shape
      {
        // A rule has handled both records, so nothing is in doubt any more, except about fields it keeps.
        let doubts = outline.keptDoubts(of: number, at: index)
        changes =
          ShapeComparison(
            from: old, to: new, adjustments: keep == nil ? [] : outline.stages[index].adjustments(of: target)
          ).changes.filter { !$0.kind.isDoubt } + doubts
      }
    }
    newName = isRuled ? nil : target.flatMap { newer.indices.contains($0) ? newer[$0].name.text : nil }
    let reused = Set(forbidden.map { ExactText($0.field) })
    let given = target.flatMap { constants[$0] } ?? [:]
    let form = target.flatMap { target in forms?[target] }
    let fields =
      changes.filter { !reused.contains(ExactText($0.field)) }
      .map { change in
        let isComputed =
          keep == nil || computed.contains { change.field == $0 || change.field.hasPrefix($0 + ".") }
        return PlanCheck.FieldChange(
          change, isRuled: isRuled && isComputed, constant: given[ExactText(change.field)], form: form)
      }
      + forbidden.map { PlanCheck.FieldChange($0, isRuled: isRuled, constant: nil) }
    self.fields = fields
    unchanged = (older.shape?.shape.fields ?? []).map(\.name).filter { name in
      target != nil
        && !fields.contains { $0.field == name || $0.oldName == name || $0.field.hasPrefix(name + ".") }
    }
    let needsRule: Bool
    switch outcome {
    case .carried, .converted, .added: needsRule = false
    case .upcast, .kept, .split, .folded, .dropped, .retained, .forgotten, .redeclared: needsRule = true
    }
    changeClass = Self.worst(fields, atLeast: needsRule ? .custom : .lightweight)
    needsDowncast = oldReadsNew.hasPrefix("needs a downcast")
  }

  /// Returns how programs of the version before a bridge read some of its records; `nil` if they need a
  /// missing downcast.
  private static func reading(_ forms: [BridgeForm], _ records: [Int]) -> String? {
    let words = Set(records.map { forms[$0].olderReading })
    guard words.count == 1, let word = words.first else {
      return words.isEmpty || words.contains(nil) ? nil : "as the bridge says"
    }
    return word
  }

  /// Creates the fate of a record that the older version does not have; `isMade` if rules may make it of
  /// others.
  init(added record: RecordOutline, isMade: Bool, forbidden: [ShapeChange]) {
    name = record.name.text
    newName = name
    outcome = .added
    (newReadsOld, oldReadsNew) = (isMade ? "what rules make" : "none stored", "an unknown type")
    fields = forbidden.map { PlanCheck.FieldChange($0, isRuled: false, constant: nil) }
    unchanged = []
    changeClass = Self.worst(fields, atLeast: .lightweight)
    needsDowncast = false
  }

  private static func worst(
    _ fields: [PlanCheck.FieldChange], atLeast least: PlanCheck.ChangeClass
  ) -> PlanCheck.ChangeClass {
    if fields.contains(where: { $0.changeClass == .forbidden }) { return .forbidden }
    return fields.contains { $0.changeClass == .custom } ? .custom : least
  }
}

extension BridgeForm {
  /// How programs of the previous version read such a record, in the words of the report; `nil` if they need
  /// a downcast.
  var olderReading: String? {
    switch self {
    case .readable: "field by field"
    case .lowered: "the stage, turned around"
    case .rule: "the Downcast"
    case .later: "an unknown type"
    case .impossible: nil
    }
  }
}

extension ShapeChange.Kind {
  /// Whether this is a question rather than a change.
  package var isDoubt: Bool {
    if case .possibleRename = self { true } else { false }
  }
}
