package import AnnalsCoding

/// How many values undeclared fields have, and where the first one of each is.
struct UndeclaredTally: Sendable {
  /// The most fields that are kept and that nobody has given up: a record that should be a dictionary has a
  /// field for each of its keys.
  private static let limit = 1_000

  /// A field, as it is stored.
  private struct Field: Hashable {
    let type: ExactText
    let version: SchemaVersion?
    let path: [ExactText]
  }

  private var counts: [Field: (count: UInt64, first: Position)] = [:]
  /// How many fields are kept that nobody has given up.
  private var kept = 0

  /// Whether nothing was counted.
  var isEmpty: Bool { counts.isEmpty }

  /// Counts a value.
  ///
  /// - Parameter isGivenUp: Whether somebody has said that the field may be lost.
  mutating func add(_ kind: KindRegistry.Kind, _ path: [ExactText], at position: Position, isGivenUp: Bool) {
    let field = Field(type: ExactText(kind.row.name), version: kind.version, path: path)
    if let known = counts[field] {
      counts[field] = (known.count &+ 1, min(known.first, position))
      return
    }
    if !isGivenUp {
      guard kept < Self.limit else { return }
      kept += 1
    }
    counts[field] = (1, position)
  }

  /// The fields, in the order of their first values.
  var fields: [UndeclaredField] {
    counts.sorted { left, right in
      (left.value.first, left.key.type) != (right.value.first, right.key.type)
        ? (left.value.first, left.key.type) < (right.value.first, right.key.type)
        : left.key.path.lexicographicallyPrecedes(right.key.path)
    }.map { field, found in
      UndeclaredField(
        type: field.type.text, version: field.version, path: field.path.map(\.text), count: found.count,
        firstPosition: found.first)
    }
  }
}

/// The names of undeclared fields that may be lost.
struct FieldDrops: Sendable {
  private var names: Set<ExactText>

  /// No field.
  static let none = FieldDrops([])

  /// The fields with these names.
  init(_ names: Set<String>) {
    self.names = Set(names.map { ExactText($0) })
  }

  /// Adds what `other` has.
  func union(_ other: FieldDrops) -> FieldDrops {
    var all = self
    all.names.formUnion(other.names)
    return all
  }

  /// Whether the field that `path` leads to may be lost, in entries of `kind`.
  func contains(_ kind: KindRegistry.Kind, _ path: [ExactText]) -> Bool {
    !names.isEmpty
      && names.contains(ExactText(UndeclaredField.name(type: kind.row.name, path: path.map(\.text))))
  }

  /// Whether the field may be lost.
  func contains(_ field: UndeclaredField) -> Bool {
    names.contains(ExactText(field.name))
  }
}

extension AnnalsError {
  /// The error for fields that would be lost and that the caller has not named.
  ///
  /// - Parameters:
  ///   - fields: The fields; there is one.
  ///   - what: What would lose them.
  package init(undeclared fields: [UndeclaredField], _ what: String) {
    let list = fields.map { "\n- \($0)" }.joined()
    self.init(
      .undeclaredFields,
      "\(what) would lose fields that the plan does not declare, and nothing was changed: declare them in the version as which they are read, or name those that may go in 'dropFields' ('--drop-fields \(fields.first?.name ?? "TYPE.KEY"),…'):\(list)",
      details: AnnalsError.Details {
        $0.fields = fields
        $0.type = fields.first?.type
        $0.version = fields.first?.version
        $0.position = fields.first?.firstPosition
      })
  }
}
