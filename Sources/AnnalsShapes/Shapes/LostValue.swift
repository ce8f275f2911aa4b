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

extension PayloadLosses {
  /// Adds values inside personal fields, which were found in the decrypted payload.
  ///
  /// Each has the whole field as it is stored for its value, so that it stays encrypted.
  package mutating func add(inPersonalFields found: [LostValue]) throws(CodingFailure) {
    if found.isEmpty { return }
    let fields = try KeyedValues.of(found.map { [$0.path[0]] }, in: named.span)
    var paths: Set<[ExactText]> = []
    for value in found where paths.insert(value.path).inserted {
      for field in fields where field.path[0] == value.path[0] {
        values.append(
          LostValue(
            path: value.path, place: field.place, bytes: field.bytes, removedIn: value.removedIn))
      }
    }
  }
}

/// The declared fields of one kind that a plan removes without a rule.
package struct FieldRemovals: Sendable {
  /// The form by name of the payloads as they are stored.
  private let names: NamedForm
  /// The form by name of the payloads in which personal values are decrypted, or null; `nil` if nothing
  /// inside a personal field is removed.
  private let opened: NamedForm?
  /// The names of the personal fields.
  private let personal: Set<ExactText>
  /// The use of a payload up to each version that removes something, oldest first.
  private let uses: [(version: SchemaVersion, uses: FieldUses)]

  /// - Parameters:
  ///   - shape: The shape of the payloads.
  ///   - conversions: Its conversions in their order, each with the version that it leads to.
  /// - Returns: `nil` if nothing is removed.
  package init?(_ shape: StoredShape, _ conversions: [(version: SchemaVersion, conversion: Conversion)]) {
    var uses: [(SchemaVersion, FieldUses)] = []
    for end in conversions.indices where !conversions[end].conversion.isSame {
      uses.append((conversions[end].version, FieldUses(conversions[...end].map(\.conversion))))
    }
    guard let last = uses.last?.1, uses.contains(where: { $0.1.isPartial }) else { return nil }
    names = shape.storedNames
    self.uses = uses
    let fields = shape.personal?.fields ?? []
    personal = Set(fields.map { ExactText($0.name) })
    let losesParts = fields.contains { field in
      let use = last.field(field.index, of: last.root)
      return !last.isAll(use) && !last.isNothing(use)
    }
    opened = losesParts ? NamedForm(shape.shape.omittingPersonalFields) : nil
  }

  /// Returns the values of a stored payload that the plan removes.
  ///
  /// - Parameters:
  ///   - payload: The payload, by shape.
  ///   - open: Returns it with its personal values decrypted, and null for those that no key decrypts.
  /// - Throws: ``CodingFailure`` if it does not fit the shape, and what `open` throws.
  package func losses(
    in payload: Span<UInt8>, _ open: () throws(CodingFailure) -> [UInt8]?
  ) throws(CodingFailure) -> PayloadLosses {
    var losses = PayloadLosses()
    try names.write(payload, to: &losses.named)
    // The parts of an encrypted value are none of the field's.
    losses.values = try names.losses(in: losses.named.span, self, findsUndeclared: false)
      .filter { $0.path.count == 1 || !personal.contains($0.path[0]) }
    guard let opened, let plain = try open() else { return losses }
    var named: [UInt8] = []
    try opened.write(plain.span, to: &named)
    try losses.add(
      inPersonalFields: opened.losses(in: named.span, self, findsUndeclared: false)
        .filter { $0.path.count > 1 && personal.contains($0.path[0]) })
    return losses
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
