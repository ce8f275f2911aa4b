public import AnnalsCoding
internal import AnnalsShapes

extension PlanCheck {
  /// A stage and its effects.
  public struct Stage: Sendable {
    /// How programs of the older version read the records of one type of a bridge.
    public struct BridgedRecord: Hashable, Sendable {
      /// The way in which older programs read the records.
      public enum Form: String, Hashable, Sendable {
        /// They read the records as their own records of that name.
        case readable
        /// The records are stored as older records, with the stage's conversion reversed, until the bridge is
        /// active.
        case lowered
        /// The records are stored as the result of a Downcast, until the bridge is active.
        case downcast
        /// The older version has no equivalent, so the records wait until no program would stop at them.
        case later
        /// Older programs cannot read the records: the stage needs a Downcast.
        case impossible
      }
      /// The name of the newer record.
      public let name: String
      /// The way in which older programs read the record.
      public let form: Form
      /// The fields that its Downcast loses, by name on disk, in the order of the record. Their values may
      /// read back differently until the bridge is active.
      public let losing: [String]
    }

    /// A record whose tags a migration pass computes again.
    public struct Retag: Hashable, Sendable {
      /// The name of the newer record.
      public let name: String
      /// The names of the tags.
      public let tags: [String]
    }

    /// The older version.
    public let from: SchemaVersion
    /// The newer version.
    public let to: SchemaVersion
    /// The name of the older schema.
    public let fromName: String
    /// The name of the newer schema.
    public let toName: String
    /// How much of the log the stage uses.
    public let scope: StageScope
    /// Whether the stage is declared lightweight.
    public let isLightweight: Bool
    /// Whether the stage has a context, which is computed once when the stage is activated.
    public let hasContext: Bool
    /// The records of the newer version whose tags a migration pass computes again, in the order of the
    /// rules.
    public let retags: [Retag]
    /// How programs of the older version read each record, if the newer version is a bridge; otherwise `nil`.
    public let bridge: [BridgedRecord]?
    /// The conversion of each record of the older version, in the order of its cases, then the new records.
    public let records: [RecordFate]
  }

  /// How a change must be made.
  public enum ChangeClass: String, Hashable, Sendable {
    /// From the two schemas and the stage's declarations about fields: no value is invented or derived.
    case lightweight
    /// With a rule.
    case custom
    /// The change is not possible.
    case forbidden
  }
}

extension PlanCheck.Stage {
  /// Creates the description of the stage numbered `index` of a chain.
  package init(_ outline: ChainOutline, at index: Int, reuses: [FieldHistory.Reuse]) {
    let (older, newer) = (outline.schemas[index], outline.schemas[index + 1])
    let stage = outline.stages[index]
    from = older.version
    to = newer.version
    fromName = older.name
    toName = newer.name
    scope = stage.scope
    bridge = outline.bridgeForms(ofStage: index).map { forms in
      zip(newer.records.enumerated(), forms).map { record, form in
        .init(
          name: record.element.name.text, form: .init(form),
          losing: stage.losing(of: record.element, numbered: record.offset))
      }
    }
    isLightweight = stage.isLightweight
    hasContext = stage.hasContext
    retags = stage.retags.compactMap { rule in
      guard newer.records.indices.contains(rule.caseIndex) else { return nil }
      return Retag(name: newer.records[rule.caseIndex].name.text, tags: rule.names.map(\.text))
    }
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

extension PlanCheck.Stage.BridgedRecord.Form {
  init(_ form: BridgeForm) {
    self =
      switch form {
      case .readable: .readable
      case .lowered: .lowered
      case .rule: .downcast
      case .later: .later
      case .impossible: .impossible
      }
  }
}

extension StageOutline {
  /// The names on disk of the fields that the downcast of a newer record loses, in the order of the record.
  fileprivate func losing(of record: RecordOutline, numbered number: Int) -> [String] {
    let numbers = Set(downcasts.filter { $0.caseIndex == number }.flatMap(\.losing))
    return (record.shape?.shape.fields ?? []).enumerated()
      .filter { numbers.contains($0.offset) }.map(\.element.name)
  }

  /// The constants of the stage as JSON, by the number of the newer record and the path of the field.
  var constants: [Int: [ExactText: String]] {
    var constants: [Int: [ExactText: String]] = [:]
    for adjustment in adjustments {
      guard case .constant(let field, let bytes) = adjustment.adjustment else { continue }
      var writer = JSONWriter()
      do throws(CodingFailure) { try writer.payload(bytes.span) } catch {
        // An invalid value is a problem of the plan, which reports it.
        continue
      }
      constants[adjustment.caseIndex, default: [:]][ExactText(field)] = String(
        decoding: writer.bytes, as: UTF8.self)
    }
    return constants
  }
}

extension RecordCrossing {
  /// Returns whether a rule may make events of the newer record numbered `number`.
  func makes(_ number: Int) -> Bool {
    if case .rule(let effect) = self { effect.allows(number) } else { false }
  }
}

extension ChainOutline {
  /// Returns the newer record with which a record of the stage numbered `index` is compared: the one that all
  /// of its events become, or the one with its name.
  func comparedRecord(to record: Int, at index: Int) -> Int? {
    switch crossings[index][record] {
    case .carried(let target), .converted(let target, _), .redeclared(let target): return target
    case .forgotten, .rule(.nothing), .rule(.retained), .rule(.unknown): return nil
    case .rule(.cases(let targets)):
      guard let word = stages[index].rule(for: record)?.word, word == .upcast || word == .keep else {
        return nil
      }
      return targets.first
    case .rule(.anything):
      guard stages[index].rule(for: record)?.word == .upcast else { return nil }
      return schemas[index + 1].index(following: schemas[index].records[record].name)
    }
  }
}
