package import AnnalsCoding

/// A value of a payload that a rewrite loses.
package struct LostValue: Sendable {
  /// A step to a value in the JSON of a payload.
  package enum Step: Equatable, Sendable {
    /// The value of a key.
    case key(ExactText)
    /// The element of an array.
    case index(Int)
  }

  /// The path of names to it, outermost first, without elements and keys of dictionaries.
  package let path: [ExactText]
  /// All steps to it.
  package let place: [Step]
  /// The range of its bytes in the payload by name.
  package let bytes: Range<Int>
  /// The version that no longer has the field; `nil` if no version of the plan declares it.
  package let removedIn: SchemaVersion?

  /// Whether there are steps that the path omits.
  package var isInside: Bool { place.count != path.count }
}

/// A payload by name and the values of it that a rewrite loses.
package struct PayloadLosses: Sendable {
  package var named: [UInt8] = []
  package var values: [LostValue] = []

  package init(named: [UInt8] = [], values: [LostValue] = []) {
    self.named = named
    self.values = values
  }
}

/// The declared fields of one kind that a plan removes without a rule.
package struct FieldRemovals: Sendable {
  /// The form by name of the payloads as they are stored.
  package let names: NamedForm
  /// The use of a payload up to each version that removes something, oldest first.
  private let uses: [(version: SchemaVersion, uses: FieldUses)]

  /// - Parameters:
  ///   - names: The form by name of the payloads as they are stored.
  ///   - conversions: Its conversions in their order, each with the version that it leads to.
  /// - Returns: `nil` if nothing is removed.
  package init?(_ names: NamedForm, _ conversions: [(version: SchemaVersion, conversion: Conversion)]) {
    var uses: [(SchemaVersion, FieldUses)] = []
    for end in conversions.indices where !conversions[end].conversion.isSame {
      uses.append((conversions[end].version, FieldUses(conversions[...end].map(\.conversion))))
    }
    guard uses.contains(where: { $0.1.isPartial }) else { return nil }
    self.names = names
    self.uses = uses
  }

  /// The use of a payload after all conversions.
  package var last: FieldUses? { uses.last?.uses }

  /// A step from a value to one inside it, by numbers.
  enum Step: Sendable {
    case field(Int)
    case element
    case value
    case held(Int, ofCase: Int)
  }

  /// Returns the version that no longer has the field at `steps`.
  func version(removing steps: [Step]) -> SchemaVersion? {
    uses.first { _, uses in
      var use = uses.root
      for step in steps { use = uses.follow(step, from: use) }
      return uses.isNothing(use)
    }?.version
  }
}

extension FieldUses {
  /// Returns the use of a value inside one.
  func follow(_ step: FieldRemovals.Step, from use: Use) -> Use {
    switch step {
    case .field(let index): field(index, of: use)
    case .element: element(of: use)
    case .value: value(of: use)
    case .held(let index, let number): value(index, ofCase: number, of: use)
    }
  }
}
