package import AnnalsCoding
package import AnnalsShapes

/// A chain without its types, used to check a plan and to look up its steps.
package struct ChainOutline: Sendable {
  /// The schemas, oldest first.
  package let schemas: [SchemaOutline]
  /// The stages; each leads from the schema of its own index to the next.
  package let stages: [StageOutline]
  /// For each stage, the conversion of each record of its older schema.
  let crossings: [[RecordCrossing]]

  package init(schemas: [SchemaOutline], stages: [StageOutline], crossings: [[RecordCrossing]] = []) {
    self.schemas = schemas
    self.stages = stages
    self.crossings = crossings
  }

  /// Returns this chain with one more stage.
  func adding(
    _ stage: StageOutline, _ crossings: [RecordCrossing], to schema: SchemaOutline
  ) -> ChainOutline {
    ChainOutline(
      schemas: schemas + [schema], stages: stages + [stage], crossings: self.crossings + [crossings])
  }
}

/// A schema version without its types.
package struct SchemaOutline: Sendable {
  /// The unqualified Swift name of the schema, for messages.
  let name: String
  /// The version.
  package let version: SchemaVersion
  /// Whether the version is released.
  package let stability: SchemaStability
  /// The records in the order of the event's cases.
  package let records: [RecordOutline]
}

/// A record of a schema without its type.
package struct RecordOutline: Sendable {
  /// The name of the case in Swift.
  let caseName: String
  /// The name on disk.
  package let name: ExactText
  /// The names on disk that it had in the previous version.
  let formerNames: [ExactText]
  /// Names of fields that may not be used again.
  let reservedNames: [ExactText]
  /// The shape of payloads; `nil` if they are stored by name.
  package let shape: StoredShape?
  /// Whether it is a ``TreeRecord``, which reads payloads of every form.
  package let isTree: Bool
  /// The Swift type.
  let type: ObjectIdentifier
  /// The unqualified name of the Swift type, for messages.
  let typeName: String
  /// Returns sample values of the record for tests of rules, as payloads.
  let samples: @Sendable () throws(CodingFailure) -> [[UInt8]]
}

/// A stage without its types.
package struct StageOutline: Sendable {
  /// The rules in the order in which they are written.
  package let rules: [RuleOutline]
  /// The declarations about fields of records without a rule.
  package let adjustments: [AdjustmentOutline]
  /// Whether it is declared lightweight.
  package let isLightweight: Bool
  /// Whether it has a context, which is computed once and kept in the store.
  package let hasContext: Bool
  /// The conversions of records of the newer version to the older one.
  package var downcasts: [DowncastOutline] = []
  /// The number of folds. The ends of their groups are computed once and kept in the store.
  package var folds = 0
  /// The number of rules that assign entries to streams.
  var streamRules = 0
  /// The rules that compute tags again, in a migration pass.
  package var retags: [RetagOutline] = []

  /// Whether it assigns entries to streams.
  package var movesStreams: Bool { streamRules > 0 }
  /// Whether a fold is among its rules.
  package var hasFold: Bool { folds > 0 }
  /// Whether it computes something from the whole log once, after which no program can append events of an
  /// older version.
  var activatesAtOnePosition: Bool { hasContext || hasFold || movesStreams }
  /// How much of the log it uses beyond a single entry.
  package var scope: StageScope { movesStreams ? .store : hasFold ? .stream : .record }

  /// Returns the rule for the case numbered `index`; `nil` if there is none.
  func rule(for index: Int) -> RuleOutline? {
    rules.first { $0.caseIndex == index }
  }
}

/// A rule without its types.
package struct RuleOutline: Sendable {
  /// The name with which the rule is written.
  package let word: RuleWord
  /// The number of the case that the rule takes.
  package let caseIndex: Int
  /// The possible results.
  package let effect: RuleEffect
  /// The fields that it computes, if it keeps the others; `nil` for other rules.
  package var keep: KeepOutline?
}

extension SchemaOutline {
  init<Schema: VersionedSchema>(_ schema: Schema.Type) {
    name = String(describing: schema)
    version = Schema.version
    stability = Schema.stability
    records = Schema.Event.records.map { RecordOutline($0) }
  }

  /// Returns the number of the record called `name`.
  package func index(of name: ExactText) -> Int? {
    records.firstIndex { $0.name == name }
  }

  /// Returns the number of the record that succeeds the previous version's record `name`, by its current or
  /// former names.
  package func index(following name: ExactText) -> Int? {
    index(of: name) ?? records.firstIndex { $0.formerNames.contains(name) }
  }
}

extension RecordOutline {
  init(_ record: SchemaRecord) {
    caseName = record.caseName
    name = ExactText(record.type.recordName)
    formerNames = record.type.formerNames.map { ExactText($0) }
    reservedNames = record.type.reservedNames.map { ExactText($0) }
    shape = record.type.recordShape.map { StoredShape($0) }
    isTree = record.type is any TreeRecord.Type
    type = ObjectIdentifier(record.type)
    typeName = String(describing: record.type)
    samples = record.type.samplePayloads
  }
}
