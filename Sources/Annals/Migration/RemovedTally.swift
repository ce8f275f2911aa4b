internal import AnnalsCoding
internal import AnnalsSchema

/// How many events have lost a value of each field, and where the first one of each is.
struct RemovedTally: Sendable {
  /// The most fields of each sort that a pass which is cut short keeps.
  private static let limit = 1_000

  /// A field, as it is stored.
  private struct Field: Hashable {
    let type: ExactText
    let version: SchemaVersion?
    let path: [ExactText]
    let removedIn: SchemaVersion?
  }

  private var counts: [Field: (count: UInt64, first: Position)] = [:]

  /// Whether the plan declares any of the fields.
  var hasDeclared: Bool { counts.keys.contains { $0.removedIn != nil } }

  /// Counts an event that loses `values`, each path once.
  mutating func add(_ kind: KindRegistry.Kind, _ values: [LostValue], at position: Position) {
    let type = ExactText(kind.row.name)
    var seen: Set<[ExactText]> = []
    for value in values where seen.insert(value.path).inserted {
      let field = Field(
        type: type, version: kind.version, path: value.path, removedIn: value.removedIn)
      let known = counts[field] ?? (0, position)
      counts[field] = (known.count &+ 1, min(known.first, position))
    }
  }

  /// Adds what another has counted.
  mutating func add(_ other: RemovedTally) {
    for (field, found) in other.counts {
      let known = counts[field] ?? (0, found.first)
      counts[field] = (known.count &+ found.count, min(known.first, found.first))
    }
  }

  /// Forgets everything.
  mutating func clear() {
    if !counts.isEmpty { counts.removeAll(keepingCapacity: true) }
  }

  /// The fields, in the order of their first events.
  var fields: [RemovedField] {
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
}

// What a pass that is cut short keeps of it.
extension RemovedTally {
  /// How many fields there are (varint), and of each its type (counted), version, path (a varint and counted
  /// names), for a declared field the version that does not have it any more, then count and first position
  /// (varints).
  ///
  /// Of more than a thousand fields those with the most events are kept.
  ///
  /// - Parameter areDeclared: Whether the fields that the plan declares are encoded, or the others.
  func encoded(areDeclared: Bool) -> [UInt8] {
    let kept = fields.filter { ($0.removedIn != nil) == areDeclared }.sorted { $0.count > $1.count }
      .prefix(Self.limit)
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(kept.count))
    for field in kept {
      bytes.append(counted: field.type.utf8)
      bytes.append(field.version)
      bytes.append(varint: UInt64(field.path.count))
      for name in field.path { bytes.append(counted: name.utf8) }
      if areDeclared { bytes.append(field.removedIn) }
      bytes.append(varint: field.count)
      bytes.append(varint: field.firstPosition.rawValue)
    }
    return bytes
  }

  /// Adds what ``encoded(areDeclared:)`` has written.
  mutating func add(_ reader: inout ByteReader, areDeclared: Bool) throws(FormatFailure) {
    for _ in 0..<(try reader.number(in: 0...UInt64(Self.limit))) {
      let type = ExactText(try reader.countedText())
      let version = try reader.schemaVersion()
      var path: [ExactText] = []
      for _ in 0..<(try reader.varint()) { path.append(ExactText(try reader.countedText())) }
      let start = reader.offset
      let removedIn = areDeclared ? try reader.schemaVersion() : nil
      guard (removedIn != nil) == areDeclared else { throw FormatFailure(.value, at: start) }
      let field = Field(type: type, version: version, path: path, removedIn: removedIn)
      counts[field] = (try reader.number(), Position(try reader.number()))
    }
  }
}
