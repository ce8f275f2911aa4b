internal import AnnalsCoding

/// One difference between an older and a newer shape of a record, and what it means for reading.
package struct ShapeChange: Hashable, Sendable {
  /// What became of the field from the older to the newer shape.
  package enum Kind: Hashable, Sendable {
    /// A new optional field.
    case addedOptional
    /// A new field that the stage gives a constant.
    case addedConstant
    /// A new field that must have a value and has none.
    case addedRequired
    /// An optional field that is gone.
    case removedOptional
    /// A field that is gone and always had a value.
    case removedRequired
    /// A field with another name.
    case renamed(from: String)
    /// A field that is gone and a new one of the same type: perhaps one field with another name.
    case possibleRename(from: String)
    /// Fields or cases in another order.
    case reordered
    /// A field that may be null from now on.
    case becameOptional
    /// A field that may not be null any more.
    case becameRequired
    /// A type that holds every value of the one before.
    case widened
    /// A type that does not.
    case typeChanged
    /// A new case.
    case caseAdded(String)
    /// A case that is gone, or has another name.
    case caseRemoved(String)
    /// A value that became an array.
    case wrapped
    /// An array that became a value.
    case unwrapped
    /// Fields that moved into a nested record.
    case plunged
    /// A field that moved out of a nested record.
    case hoisted(from: String)
    /// Elements of a set or keys of a map that become equal.
    case merged
    /// A name that an earlier version gave to a field of another type.
    case reused
  }
  /// What it takes to read one shape as the other.
  enum Verdict: Hashable, Sendable {
    /// Nothing but the two shapes and what the stage says.
    case lightweight
    /// A rule, because a value must be invented or derived.
    case custom
    /// It must not be done.
    case forbidden
  }
  /// What a program gets that reads what the other version wrote.
  enum Reading: String, Hashable, Sendable {
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

  /// The names that lead to the field in the newer shape, or in the older one where it is gone, joined by points.
  package let field: String
  /// What changed.
  package let kind: Kind
  /// The type in the shape that is read, as text; `nil` where it has no such field.
  let stored: String?
  /// The type in the shape that is wanted, as text; `nil` where it has no such field.
  let wanted: String?
  /// What it takes in the direction compared.
  let verdict: Verdict
  /// What a program with the newer shape gets from the older one.
  let backward: Reading
  /// What a program with the older shape gets from the newer one.
  let forward: Reading
  /// The field, both types, the reason and what to write.
  package let description: String

  /// Whether a program with the older shape cannot read all that is written with the newer one, or only by mapping it back.
  var breaksForward: Bool {
    switch forward {
    case .downcast, .mappedBack, .untilNull, .error, .narrowed, .onlyElement: true
    default: false
    }
  }
}
