internal import AnnalsCoding
package import AnnalsSchema
internal import AnnalsShapes

/// The identity of a plan: a fingerprint of its versions, shapes and stages.
///
/// An interrupted pass is continued only with the plan that began it. The closure of a rule is not part of
/// the mark, since its code is not visible. If a changed rule continues where another one began, the
/// comparison of both generations detects it.
package enum PlanMark {
  /// The mark of a pass without a plan.
  package static let none = [UInt8](repeating: 0, count: 32)

  /// The mark of a repair, which no other pass continues.
  package static let repair = SHA256.hash(Array("repair".utf8))

  /// Returns the mark of a pass whose plan has `mark`, with an archive at `path`.
  ///
  /// It differs from `mark`, so that only a pass that writes the archive continues it.
  package static func archiving(_ mark: [UInt8], _ path: [UInt8]) -> [UInt8] {
    SHA256.hash(mark + Array("archive ".utf8) + path)
  }

  /// Returns the mark of a pass whose plan has `mark`, and which encrypts values with the newest keys.
  ///
  /// It differs from `mark`, so that a pass renews the keys of the whole new generation, or of none of it.
  package static func renewingKeys(_ mark: [UInt8]) -> [UInt8] {
    SHA256.hash(mark + Array("newest keys".utf8))
  }

  /// The SHA-256 of the plan's outline.
  package static func of(_ plan: CompiledPlan) -> [UInt8] {
    var lines: [String] = []
    for schema in plan.schemas {
      lines.append("schema \(schema.version) \(schema.stability)")
      for record in schema.records {
        lines.append("record \(record.name.text) \(record.shape?.text ?? "by name")")
      }
    }
    for stage in plan.stages {
      lines.append("stage \(stage.isLightweight) \(stage.hasContext)")
      if stage.movesStreams { lines.append("streams") }
      if stage.hasFold { lines.append("folds \(stage.folds)") }
      for rule in stage.rules {
        lines.append("rule \(rule.word.rawValue) \(rule.caseIndex) \(text(rule.effect))")
      }
      for adjustment in stage.adjustments { lines.append("adjustment \(adjustment)") }
      for downcast in stage.downcasts { lines.append("downcast \(downcast.caseIndex)") }
      for retag in stage.retags {
        let names = Set(retag.names).sorted().map { Array($0.text.utf8).hexadecimal }
        lines.append("retag \(retag.caseIndex) \(names.joined(separator: " "))")
      }
    }
    lines.append("unversioned \(plan.adopted?.description ?? "refused")")
    return SHA256.hash(Array(lines.joined(separator: "\n").utf8))
  }

  private static func text(_ effect: RuleEffect) -> String {
    switch effect {
    case .anything: "anything"
    // A set has another order in every process.
    case .cases(let cases): "cases \(cases.sorted())"
    case .nothing(let reason): "nothing \(reason)"
    case .retained: "retained"
    case .unknown: "unknown"
    }
  }
}
