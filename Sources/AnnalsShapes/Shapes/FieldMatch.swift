internal import AnnalsCoding

/// A pair of an older and a newer field that are the same, by their numbers in the shapes' graphs.
package struct FieldMatch: Hashable, Sendable {
  package let older: Int
  package let newer: Int
}

/// The pairs of equal fields of older shapes and a record's newest shape, regardless of their names.
package struct FieldLineage: Equatable, Sendable {
  /// The pairs; `newer` is of the newest shape.
  package private(set) var matches: Set<FieldMatch>

  /// Creates the lineage of a shape within itself.
  package init(of shape: RecordShape) {
    matches = Set((0..<ShapeGraph(shape).fieldCount).map { FieldMatch(older: $0, newer: $0) })
  }

  /// Continues with the previous version.
  ///
  /// - Parameter link: The pairs of equal fields of that version and the one reached so far.
  package mutating func follow(_ link: Set<FieldMatch>) {
    let before = Dictionary(grouping: link, by: \.newer)
    matches = matches.reduce(into: []) { followed, match in
      for link in before[match.older] ?? [] {
        followed.insert(FieldMatch(older: link.older, newer: match.newer))
      }
    }
  }
}

extension ShapeComparison {
  /// Whether fields move into or out of a record, which only the stage declares.
  package var movesFields: Bool {
    changes.contains { change in
      switch change.kind {
      case .plunged, .hoisted: true
      default: false
      }
    }
  }
}
