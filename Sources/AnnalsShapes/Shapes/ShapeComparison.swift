internal import AnnalsCoding

/// The changes between two shapes of one record, and the conversion of payloads between them.
package struct ShapeComparison: Sendable {
  /// Which of the two shapes is the newer one.
  package enum Direction: Hashable, Sendable {
    /// The newer shape reads payloads of the older one.
    case upgrade
    /// The older shape reads payloads of the newer one.
    case downgrade
  }
  /// All differences, in the order of the newer shape's fields; the removed fields of a record follow the
  /// others.
  package let changes: [ShapeChange]
  /// The problems of original names and adjustments.
  package let problems: [ShapeProblem]
  /// The conversion of payloads; `nil` if a change needs a rule or is forbidden, or there is a problem.
  package let conversion: Conversion?
  /// The paths of the fields that get a constant.
  let constants: [String]
  /// The fields of the two shapes that are the same, except those that the stage moves into or out of a
  /// record.
  package let matches: Set<FieldMatch>

  /// Compares two shapes that have no problems of their own.
  ///
  /// - Parameters:
  ///   - stored: The shape of the payloads.
  ///   - wanted: The shape to convert them to.
  ///   - adjustments: The declarations of the stage from the older to the newer shape.
  ///   - direction: Whether `wanted` is the newer (`.upgrade`) or the older shape.
  ///   - drafts: What the two shapes have in common if they are drafts of one version; `nil` otherwise.
  /// - Complexity: O(fields).
  package init(
    from stored: RecordShape, to wanted: RecordShape, adjustments: [FieldAdjustment] = [],
    direction: Direction = .upgrade, drafts: DraftRoots? = nil
  ) {
    let isUpgrade = direction == .upgrade
    var walk = ShapeWalk(
      older: ShapeGraph(isUpgrade ? stored : wanted), newer: ShapeGraph(isUpgrade ? wanted : stored),
      adjustments: drafts?.adjustmentsOfFields ?? adjustments, direction: direction)
    walk.links = drafts?.links(from: stored, to: wanted)
    let mapping = walk.walk()
    changes = walk.changes
    problems = walk.problems
    constants = walk.constants
    matches = walk.matches
    let isLight = problems.isEmpty && changes.allSatisfy { $0.verdict == .lightweight }
    conversion = isLight ? mapping.map { Conversion($0, walk.definitions) } : nil
  }

  /// Returns the fields that `shape` adds to `previous` under a name that an earlier version used for another
  /// type.
  ///
  /// Such a name is reserved: a program of that version would mistake one field for the other.
  ///
  /// - Parameters:
  ///   - shape: The newest shape.
  ///   - previous: The shape before it.
  ///   - earlier: All shapes before that.
  package static func reusedNames(
    in shape: RecordShape, after previous: RecordShape, earlier: [RecordShape]
  ) -> [ShapeChange] {
    let known = Set(previous.fields.map { ExactText($0.name) })
    return shape.fields.filter { !known.contains(ExactText($0.name)) }.compactMap { field in
      let former = earlier.lazy.flatMap(\.fields).first {
        ExactText($0.name) == ExactText(field.name) && $0.shape.required != field.shape.required
      }
      return former.map { former in
        ShapeChange(
          field: field.name, kind: .reused, stored: former.shape.text, wanted: field.shape.text,
          verdict: .forbidden, backward: .none, forward: .none,
          description:
            "`\(field.name)` is new as \(field.shape.text), but was \(former.shape.text) in an earlier version, whose programs would take the one for the other: give it another name"
        )
      }
    }
  }
}

extension ValueShape {
  /// The type without its question mark.
  var required: ValueShape {
    if case .optional(let inner) = self { inner } else { self }
  }
}
