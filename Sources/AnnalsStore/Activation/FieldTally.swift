package import AnnalsCoding
package import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
package import AnnalsShapes

/// The number of lost fields of stored events, or of those that would be lost, with the first position of
/// each.
package struct FieldTally: Sendable {
  /// The maximum number of kept undeclared fields without permission to lose them: a record that should be a
  /// dictionary has a field for each of its keys.
  private static let limit = 1_000

  /// A field, as it is stored.
  struct Field: Hashable, Sendable {
    let type: ExactText
    let version: SchemaVersion?
    let path: [ExactText]
    /// The version that removed it; `nil` for a field that no version declares.
    let removedIn: SchemaVersion?
  }

  private var counts: [Field: (count: UInt64, first: Position)] = [:]
  /// The number of undeclared fields kept that may not be lost.
  private var kept = 0

  package init() {}

  /// Whether nothing was counted.
  package var isEmpty: Bool { counts.isEmpty }

  /// Whether the plan declares any of the fields.
  package var hasDeclared: Bool { counts.keys.contains { $0.removedIn != nil } }

  /// Counts a value of an undeclared field.
  ///
  /// - Parameter isGivenUp: Whether the field may be lost.
  package mutating func add(
    _ kind: KindRegistry.Kind, _ path: [ExactText], at position: Position, isGivenUp: Bool
  ) {
    let field = Field(type: ExactText(kind.row.name), version: kind.version, path: path, removedIn: nil)
    if counts[field] == nil, !isGivenUp {
      guard kept < Self.limit else { return }
      kept += 1
    }
    add(field, 1, from: position)
  }

  /// Counts an event that loses `values`, each path once.
  package mutating func add(_ kind: KindRegistry.Kind, _ values: [LostValue], at position: Position) {
    let type = ExactText(kind.row.name)
    var seen: Set<[ExactText]> = []
    for value in values where seen.insert(value.path).inserted {
      let field = Field(type: type, version: kind.version, path: value.path, removedIn: value.removedIn)
      add(field, 1, from: position)
    }
  }

  /// Adds the counts of another tally.
  package mutating func add(_ other: FieldTally) {
    for (field, found) in other.counts { add(field, found.count, from: found.first) }
  }

  /// Adds `count` to a field whose first event is at `first` or before it.
  private mutating func add(_ field: Field, _ count: UInt64, from first: Position) {
    let known = counts[field] ?? (0, first)
    counts[field] = (known.count &+ count, min(known.first, first))
  }

  /// Sets the count of a field.
  mutating func put(_ field: Field, count: UInt64, first: Position) { counts[field] = (count, first) }

  /// Removes all counts.
  package mutating func clear() {
    kept = 0
    if !counts.isEmpty { counts.removeAll(keepingCapacity: true) }
  }

  /// The fields, in the order of their first events.
  package var fields: [RemovedField] {
    counts.sorted { left, right in
      (left.value.first, left.key.type) != (right.value.first, right.key.type)
        ? (left.value.first, left.key.type) < (right.value.first, right.key.type)
        : left.key.path.lexicographicallyPrecedes(right.key.path)
    }.map { field, found in
      RemovedField(
        type: field.type.text, version: field.version, path: field.path.map(\.text),
        removedIn: field.removedIn, count: found.count, firstPosition: found.first)
    }
  }

  /// The same fields as ones that no version declares.
  package var undeclared: [UndeclaredField] {
    fields.map { field in
      UndeclaredField(
        type: field.type, version: field.version, path: field.path, count: field.count,
        firstPosition: field.firstPosition)
    }
  }
}
