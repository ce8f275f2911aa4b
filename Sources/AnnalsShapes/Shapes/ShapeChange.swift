internal import AnnalsCoding

/// One difference between an older and a newer shape of a record, and its effect on reading.
package struct ShapeChange: Hashable, Sendable {
  /// The kind of change from the older to the newer shape.
  package enum Kind: Hashable, Sendable {
    /// A new optional field.
    case addedOptional
    /// A new field for which the stage sets a constant.
    case addedConstant
    /// A new field that must have a value and has none.
    case addedRequired
    /// A removed optional field.
    case removedOptional
    /// A removed field that always had a value.
    case removedRequired
    /// A field with another name.
    case renamed(from: String)
    /// A removed field and a new one of the same type: perhaps one field with another name.
    case possibleRename(from: String)
    /// Fields or cases in another order.
    case reordered
    /// A field that may be null from now on.
    case becameOptional
    /// A field that may no longer be null.
    case becameRequired
    /// A type that can represent every value of the old one.
    case widened
    /// A type that cannot.
    case typeChanged
    /// A new case.
    case caseAdded(String)
    /// A case that was removed or renamed.
    case caseRemoved(String)
    /// A value that became an array.
    case wrapped
    /// An array that became a value.
    case unwrapped
    /// Fields that moved into a nested record.
    case plunged
    /// A field that moved out of a nested record: its path there.
    case hoisted(from: String)
    /// Elements of a set or keys of a map that become equal.
    case merged
    /// A field that becomes personal, is no longer personal, or belongs to another person: the names of the
    /// fields with the ids.
    case subjectChanged(from: String?, to: String?)
    /// A name that an earlier version used for a field of another type.
    case reused
  }
  /// The requirement for reading one shape as the other.
  package enum Verdict: Hashable, Sendable {
    /// Only the two shapes and the stage's declarations.
    case lightweight
    /// A rule, because a value must be invented or derived.
    case custom
    /// The change is not allowed.
    case forbidden
  }
  /// The result for a program that reads events of the other version.
  package enum Reading: String, Hashable, Sendable {
    case asIs = "as is"
    case null = "nil"
    case constant = "the constant"
    case ignored = "ignored"
    case rule = "needs a rule"
    case mapped = "mapped"
    case mappedBack = "mapped back"
    case widened = "widened"
    case narrowed = "narrowed if it fits, else an error"
    case downcast = "needs a downcast"
    case untilNull = "as is until nil is written, then an error or a downcast"
    case unknownCase = "the unknown case"
    case error = "an error at each such value"
    case wrapped = "wrapped"
    case onlyElement = "the one element, else an error"
    case lost = "nil, if it is the same field under another name"
    case none = "-"
  }

  /// The path of names to the field in the newer shape, or in the older one if it was removed, joined by
  /// dots.
  package let field: String
  /// The kind of change.
  package let kind: Kind
  /// The type in the shape that is read, as text; `nil` if it has no such field.
  package let stored: String?
  /// The type in the shape that is wanted, as text; `nil` if it has no such field.
  package let wanted: String?
  /// The requirement in the direction compared.
  package let verdict: Verdict
  /// The result for a program with the newer shape that reads the older one.
  package let backward: Reading
  /// The result for a program with the older shape that reads the newer one.
  package let forward: Reading
  /// The field, both types, the reason and the text to write.
  package let description: String

  package init(
    field: String, kind: Kind, stored: String?, wanted: String?, verdict: Verdict, backward: Reading,
    forward: Reading, description: String
  ) {
    self.field = field
    self.kind = kind
    self.stored = stored
    self.wanted = wanted
    self.verdict = verdict
    self.backward = backward
    self.forward = forward
    self.description = description
  }

  /// Whether a program with the older shape cannot read all events of the newer one, or only by mapping them
  /// back.
  package var breaksForward: Bool {
    switch forward {
    case .downcast, .mappedBack, .untilNull, .error, .narrowed, .onlyElement: true
    default: false
    }
  }

  /// Returns the description for a record whose rules name it by `caseName`.
  package func description(of caseName: String) -> String {
    description.replacing("(\\.record,", with: "(\\.\(caseName),")
  }
}
