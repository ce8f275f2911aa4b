internal import AnnalsCoding

/// A field of an older shape and the field of a newer one that it is, by their numbers in the shapes' graphs.
struct FieldMatch: Hashable, Sendable {
  let older: Int
  let newer: Int
}

/// Which field of a record's newest shape each field of an older shape is, whatever they are called.
struct FieldLineage: Equatable, Sendable {
  /// The pairs; `newer` is of the newest shape.
  private(set) var matches: Set<FieldMatch>

  /// The lineage of a shape within itself.
  init(of shape: RecordShape) {
    matches = Set((0..<ShapeGraph(shape).fieldCount).map { FieldMatch(older: $0, newer: $0) })
  }

  /// Goes on to the version before.
  ///
  /// - Parameter link: The fields of that version and of the one reached so far that are one field.
  mutating func follow(_ link: Set<FieldMatch>) {
    let before = Dictionary(grouping: link, by: \.newer)
    matches = matches.reduce(into: []) { followed, match in
      for link in before[match.older] ?? [] {
        followed.insert(FieldMatch(older: link.older, newer: match.newer))
      }
    }
  }
}

extension ShapeComparison {
  /// Whether fields move into or out of a record, which only the stage says.
  var movesFields: Bool {
    changes.contains { change in
      switch change.kind {
      case .plunged, .hoisted: true
      default: false
      }
    }
  }
}
