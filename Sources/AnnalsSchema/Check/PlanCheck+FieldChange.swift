internal import AnnalsCoding
internal import AnnalsShapes

extension PlanCheck {
  /// A change of one field of a record in one stage.
  public struct FieldChange: Sendable {
    /// The path of names to the field in the newer version, or in the older one if it was removed, joined by
    /// dots; empty for the record as a whole.
    public let field: String
    /// The field's name in the older version, if it differed.
    public let oldName: String?
    /// How the change must be made.
    public let changeClass: ChangeClass
    /// A description of the value that a program of the newer version reads from older events.
    public let newReadsOld: String
    /// A description of the value that a program of the older version reads from newer events.
    public let oldReadsNew: String
    /// Whether a program of the older version cannot read all newer events, or only by mapping them back.
    public let isForwardBreaking: Bool
    /// The value that older events get, as JSON; `nil` if the stage sets none.
    public let constant: String?
    /// The change as a line of a diff: `+ note: text?`, `- sets: int64`, `~ weight -> kilograms: float`.
    public let line: String
    /// A sentence that explains the change and what to write.
    public let explanation: String
    /// The kind of change.
    let kind: ShapeChange.Kind
  }
}

extension PlanCheck.FieldChange {
  /// Creates the description of `change`.
  ///
  /// - Parameters:
  ///   - isRuled: Whether a rule makes the newer record.
  ///   - constant: The value that older events get from the stage.
  ///   - form: How programs of the older version read the record, if the newer version is a bridge.
  init(_ change: ShapeChange, isRuled: Bool, constant: String?, form: BridgeForm? = nil) {
    field = change.field
    kind = change.kind
    self.constant = change.kind == .addedConstant ? constant : nil
    switch change.verdict {
    case .lightweight: changeClass = .lightweight
    case .custom: changeClass = .custom
    case .forbidden: changeClass = .forbidden
    }
    if isRuled, change.verdict != .forbidden {
      newReadsOld = "the rule"
    } else if change.kind == .addedConstant, let constant {
      newReadsOld = constant
    } else {
      newReadsOld = change.backward.rawValue
    }
    switch form {
    case .rule? where change.breaksForward, .lowered? where change.forward == .downcast:
      oldReadsNew = form?.olderReading ?? change.forward.rawValue
      isForwardBreaking = false
    default:
      oldReadsNew = change.forward.rawValue
      isForwardBreaking = change.breaksForward
    }
    oldName = change.kind.originalName
    line = change.line(constant: self.constant)
    explanation = change.description
  }
}

extension ShapeChange.Kind {
  /// The name in the older shape, if the change is a rename.
  fileprivate var originalName: String? {
    switch self {
    case .renamed(let original), .possibleRename(let original): original
    default: nil
    }
  }
}

extension ShapeChange {
  /// The change as a line of a diff.
  fileprivate func line(constant: String?) -> String {
    let before = stored ?? ""
    let after = wanted ?? ""
    let place = field.isEmpty ? "the record" : field
    return switch kind {
    case .addedOptional, .addedRequired: "+ \(place): \(after)"
    case .addedConstant: "+ \(place): \(after) = \(constant ?? "the constant")"
    case .removedOptional, .removedRequired: "- \(place): \(before)"
    case .renamed(let original): "~ \(original) -> \(place): \(after)"
    case .possibleRename(let original): "? \(original) -> \(place): \(after)"
    case .reordered: "~ \(place): another order"
    case .becameOptional, .becameRequired, .widened, .typeChanged, .wrapped, .unwrapped, .merged:
      "~ \(place): \(before) -> \(after)"
    case .caseAdded(let name): "+ \(place): case \(name)"
    case .caseRemoved(let name): "- \(place): case \(name)"
    case .plunged: "~ \(place): \(after), made of fields next to it"
    case .hoisted(let inner): "~ \(inner): \(before) -> \(place): \(after)"
    case .subjectChanged(let before?, let after?):
      "~ \(place): belongs to the person in \(after), no longer to the one in \(before)"
    case .subjectChanged(_, nil): "~ \(place): no longer personal"
    case .subjectChanged(nil, let subject?): "~ \(place): becomes personal, of the person in \(subject)"
    case .reused: "! \(place): \(stored.map { "\($0) -> " } ?? "")\(after)"
    }
  }
}
