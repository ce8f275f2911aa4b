internal import AnnalsCoding

extension PlanCheck {
  /// What changed in one field of a record across one stage.
  public struct FieldChange: Sendable {
    /// The names that lead to the field in the newer version, or in the older one where it is gone, joined by points; empty for the record as a whole.
    public let field: String
    /// The name that it had in the older version, where that was another.
    public let oldName: String?
    /// How the change is to be made.
    public let changeClass: ChangeClass
    /// What a program of the newer version reads from older events.
    public let newReadsOld: String
    /// What a program of the older version reads from newer events.
    public let oldReadsNew: String
    /// Whether a program of the older version cannot read all newer events, or only by mapping them back.
    public let isForwardBreaking: Bool
    /// The value that older events get, as JSON; `nil` where they get none from the stage.
    public let constant: String?
    /// The change as a line of a diff: `+ note: text?`, `- sets: int64`, `~ weight -> kilograms: float`.
    public let line: String
    /// The change in a sentence, with what to write.
    public let explanation: String
  }
}

extension PlanCheck.FieldChange {
  /// The change `change`.
  ///
  /// - Parameters:
  ///   - isRuled: Whether a rule makes the newer record.
  ///   - constant: The value that older events get from the stage.
  ///   - form: How programs of the older version get the record, where the newer version is a bridge.
  init(_ change: ShapeChange, isRuled: Bool, constant: String?, form: BridgeForm? = nil) {
    field = change.field
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
  /// The name in the older shape, where the change is one of names.
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
    case .plunged: "~ \(place): \(after), made of fields beside it"
    case .hoisted(let record): "~ \(record).\(place): \(before) -> \(place): \(after)"
    case .reused: "! \(place): \(stored.map { "\($0) -> " } ?? "")\(after)"
    }
  }
}
