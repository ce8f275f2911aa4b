internal import AnnalsCoding

/// The version before a draft, to which the original names of all its drafts refer.
///
/// Two drafts of one version do not follow each other: each of them says how it differs from the version
/// before. So a field of one draft is the field of another one that is the same field of that version.
package struct DraftRoots: Sendable {
  private let previous: RecordShape
  private let adjustments: [FieldAdjustment]

  /// Creates the roots of the drafts of a record that a stage reads without a rule.
  ///
  /// - Parameters:
  ///   - previous: The shape of the record in the version before.
  ///   - adjustments: The declarations of the stage that leads to the drafts' version.
  package init(previous: RecordShape, adjustments: [FieldAdjustment]) {
    self.previous = previous
    self.adjustments = adjustments
  }

  /// The declarations that also say how a draft reads an earlier one: what a field has that is missing, and
  /// which value is now an array. Fields that move are no part of both drafts.
  var adjustmentsOfFields: [FieldAdjustment] {
    adjustments.filter { adjustment in
      switch adjustment {
      case .constant, .wrap: true
      case .plunge, .hoist, .acknowledge, .unrelated: false
      }
    }
  }

  /// For the fields of two drafts, by their numbers in the shapes' graphs, the fields of the version before.
  struct Links {
    let older: [Int: Int]
    let newer: [Int: Int]
  }

  /// Returns the links of an earlier draft and of the one that reads it.
  func links(from older: RecordShape, to newer: RecordShape) -> Links {
    Links(older: links(of: older, []), newer: links(of: newer, adjustments))
  }

  private func links(of draft: RecordShape, _ adjustments: [FieldAdjustment]) -> [Int: Int] {
    let matches = ShapeComparison(from: previous, to: draft, adjustments: adjustments).matches
    return Dictionary(matches.map { ($0.newer, $0.older) }, uniquingKeysWith: { first, _ in first })
  }
}

extension ShapeComparison {
  /// Why payloads of an earlier draft are not read as the present one. It is no stage, so that no rule helps.
  package var obstacles: [String] {
    let changed = changes.filter { $0.verdict != .lightweight }.map { change in
      "`\(change.field)` was \(change.stored ?? "not there"), and is \(change.wanted ?? "gone")"
    }
    return problems.map(\.sentence) + changed
  }
}

extension FieldMatching {
  /// Matches fields of two drafts: those that are the same field of the version before, and those of one name
  /// of which one is new.
  init(drafts old: [ShapeGraph.Field], _ new: [ShapeGraph.Field], _ links: DraftRoots.Links) {
    var matched = new.map { _ in Int?.none }
    let roots = Dictionary(
      old.enumerated().compactMap { number, field in links.older[field.id].map { ($0, number) } },
      uniquingKeysWith: { first, _ in first })
    for (number, field) in new.enumerated() {
      matched[number] = links.newer[field.id].flatMap { roots[$0] }
    }
    let numbers = Self.numbers(old)
    var taken = Set(matched.compactMap { $0 })
    for (number, field) in new.enumerated() where matched[number] == nil {
      guard let same = numbers[ExactText(field.name)],
        links.newer[field.id] == nil || links.older[old[same].id] == nil, taken.insert(same).inserted
      else { continue }
      matched[number] = same
    }
    self.init(older: matched)
  }
}
