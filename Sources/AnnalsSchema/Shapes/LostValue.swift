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

  /// The names that lead to it, the outermost first, without elements and keys of dictionaries.
  package let path: [ExactText]
  /// The whole way to it.
  package let place: [Step]
  /// Where its bytes are in the payload by name.
  package let bytes: Range<Int>
  /// The version that does not have the field any more; `nil` where no version of the plan declares it.
  package let removedIn: SchemaVersion?

  /// Whether the way has steps that the path leaves out.
  package var isInside: Bool { place.count != path.count }
}

/// A payload by name and what a rewrite loses of it.
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
  /// What is used of a payload up to each version that removes something, the oldest first.
  private let uses: [(version: SchemaVersion, uses: FieldUses)]

  /// - Parameters:
  ///   - names: The form by name of the payloads as they are stored.
  ///   - conversions: What is done to them one after the other, each with the version that it leads to.
  /// - Returns: `nil` where nothing is removed.
  package init?(_ names: NamedForm, _ conversions: [(version: SchemaVersion, conversion: Conversion)]) {
    var uses: [(SchemaVersion, FieldUses)] = []
    for end in conversions.indices where !conversions[end].conversion.isSame {
      uses.append((conversions[end].version, FieldUses(conversions[...end].map(\.conversion))))
    }
    guard uses.contains(where: { $0.1.isPartial }) else { return nil }
    self.names = names
    self.uses = uses
  }

  /// What is used of a payload in the end.
  package var last: FieldUses? { uses.last?.uses }

  /// A step from a value to one inside it, by numbers.
  enum Step: Sendable {
    case field(Int)
    case element
    case value
    case held(Int, ofCase: Int)
  }

  /// The version that does not have the field any more to which `steps` lead.
  func version(removing steps: [Step]) -> SchemaVersion? {
    uses.first { _, uses in
      var use = uses.root
      for step in steps { use = uses.follow(step, from: use) }
      return uses.isNothing(use)
    }?.version
  }
}

extension FieldUses {
  /// What is used of a value inside one.
  func follow(_ step: FieldRemovals.Step, from use: Use) -> Use {
    switch step {
    case .field(let index): field(index, of: use)
    case .element: element(of: use)
    case .value: value(of: use)
    case .held(let index, let number): value(index, ofCase: number, of: use)
    }
  }
}
