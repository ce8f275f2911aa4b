extension PlanCheck {
  /// What one stage does.
  public struct Stage: Sendable {
    /// What a stage looks at to make one event of the newer version.
    public enum Scope: String, Hashable, Sendable {
      /// One event of the older version, and what was worked out from the log beforehand where it has a context.
      case record
    }

    /// The older version.
    public let from: SchemaVersion
    /// The newer version.
    public let to: SchemaVersion
    /// The name of the older schema.
    public let fromName: String
    /// The name of the newer schema.
    public let toName: String
    /// What it looks at.
    public let scope: Scope
    /// Whether it is declared to be lightweight.
    public let isLightweight: Bool
    /// Whether it has a context, which is worked out once when the stage is activated.
    public let hasContext: Bool
    /// What becomes of each record of the older version, in the order of its cases, then the records that are new.
    public let records: [RecordFate]
  }

  /// How a change is to be made.
  public enum ChangeClass: String, Hashable, Sendable {
    /// By the two schemas and what the stage says of fields: nothing is invented or derived.
    case lightweight
    /// By a rule.
    case custom
    /// Not at all.
    case forbidden
  }
}

extension PlanCheck.Stage {
  /// The stage numbered `index` of a chain.
  init(_ outline: ChainOutline, at index: Int, reuses: [FieldHistory.Reuse]) {
    let (older, newer) = (outline.schemas[index], outline.schemas[index + 1])
    let stage = outline.stages[index]
    from = older.version
    to = newer.version
    fromName = older.name
    toName = newer.name
    scope = .record
    isLightweight = stage.isLightweight
    hasContext = stage.hasContext
    let constants = stage.constants
    let forbidden = reuses.filter { $0.version == index + 1 }
    let fates = older.records.indices.map { number in
      let target = outline.comparedRecord(to: number, at: index)
      return PlanCheck.RecordFate(
        outline, number, at: index, target: target, constants: constants,
        forbidden: forbidden.filter { $0.record == target }.map(\.change))
    }
    let known = Set(older.records.indices.compactMap { outline.comparedRecord(to: $0, at: index) })
    let kept = Set(older.records.map(\.type))
    records =
      fates
      + newer.records.enumerated().filter { !known.contains($0.offset) && !kept.contains($0.element.type) }
      .map { record in
        PlanCheck.RecordFate(
          added: record.element, isMade: outline.crossings[index].contains { $0.makes(record.offset) },
          forbidden: forbidden.filter { $0.record == record.offset }.map(\.change))
      }
  }
}

extension StageOutline {
  /// The constants of the stage as JSON, by the number of the newer record and the path of the field.
  var constants: [Int: [ExactText: String]] {
    var constants: [Int: [ExactText: String]] = [:]
    for adjustment in adjustments {
      guard case .constant(let field, let bytes) = adjustment.adjustment else { continue }
      var writer = JSONWriter()
      do throws(CodingFailure) { try writer.payload(bytes.span) } catch {
        // What is no value is a problem of the plan, which says so.
        continue
      }
      constants[adjustment.caseIndex, default: [:]][ExactText(field)] = String(
        decoding: writer.bytes, as: UTF8.self)
    }
    return constants
  }
}

extension RecordCrossing {
  /// Whether a rule may make events of the newer record numbered `number`.
  func makes(_ number: Int) -> Bool {
    if case .rule(let effect) = self { effect.allows(number) } else { false }
  }
}

extension ChainOutline {
  /// The newer record whose shape a record of the stage numbered `index` is compared with: the one that all of its events become, or the one of its name.
  func comparedRecord(to record: Int, at index: Int) -> Int? {
    switch crossings[index][record] {
    case .carried(let target), .converted(let target, _), .redeclared(let target): return target
    case .forgotten, .rule(.nothing), .rule(.unknown): return nil
    case .rule(.cases(let targets)):
      guard stages[index].rule(for: record)?.word == .upcast else { return nil }
      return targets.first
    case .rule(.anything):
      guard stages[index].rule(for: record)?.word == .upcast else { return nil }
      return schemas[index + 1].index(following: schemas[index].records[record].name)
    }
  }
}
