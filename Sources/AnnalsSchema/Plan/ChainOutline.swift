package import AnnalsCoding

/// A chain without its types: what a plan is checked by, and what its steps are looked up by.
package struct ChainOutline: Sendable {
  /// The schemas, oldest first.
  package let schemas: [SchemaOutline]
  /// The stages; each leads from the schema of its own index to the next.
  let stages: [StageOutline]
  /// By stage, what each record of its older schema becomes.
  let crossings: [[RecordCrossing]]

  package init(schemas: [SchemaOutline], stages: [StageOutline], crossings: [[RecordCrossing]] = []) {
    self.schemas = schemas
    self.stages = stages
    self.crossings = crossings
  }

  /// This chain and one more stage.
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
  /// The names on disk that it had in the version before.
  let formerNames: [ExactText]
  /// Names of fields that may not come back.
  let reservedNames: [ExactText]
  /// What payloads look like; `nil` where they are stored by name.
  package let shape: StoredShape?
  /// Whether it is a ``TreeRecord``, which reads payloads of every form.
  let isTree: Bool
  /// The Swift type.
  let type: ObjectIdentifier
  /// The unqualified name of the Swift type, for messages.
  let typeName: String
  /// Values of the record for tests of rules, as payloads.
  let samples: @Sendable () throws(CodingFailure) -> [[UInt8]]
}

/// A stage without its types.
package struct StageOutline: Sendable {
  /// The rules in the order in which they are written.
  package let rules: [RuleOutline]
  /// What is said about the fields of records that no rule takes.
  package let adjustments: [AdjustmentOutline]
  /// Whether it is declared to be lightweight.
  package let isLightweight: Bool
  /// Whether it has a context, which is worked out once and kept in the store.
  package let hasContext: Bool
  /// What says how records of the newer version are stored as ones of the older.
  package var downcasts: [DowncastOutline] = []
  /// How many folds it has: where their groups end is worked out once and kept in the store.
  package var folds = 0
  /// How many rules say which stream entries belong to.
  var streamRules = 0

  /// Whether it says which stream entries belong to.
  package var movesStreams: Bool { streamRules > 0 }
  /// Whether a fold is among its rules.
  package var hasFold: Bool { folds > 0 }
  /// Whether something is worked out from the whole log, once, and nobody appends events of an older version from then on.
  var activatesAtOnePosition: Bool { hasContext || hasFold || movesStreams }
  /// How far it looks beyond a single entry.
  package var scope: StageScope { movesStreams ? .store : hasFold ? .stream : .record }

  /// The rule for the case numbered `index`; `nil` where there is none.
  func rule(for index: Int) -> RuleOutline? {
    rules.first { $0.caseIndex == index }
  }
}

/// A rule without its types.
package struct RuleOutline: Sendable {
  /// The word that the rule is written with.
  package let word: RuleWord
  /// The number of the case that the rule takes.
  package let caseIndex: Int
  /// What may come out.
  package let effect: RuleEffect
}

extension SchemaOutline {
  init<Schema: VersionedSchema>(_ schema: Schema.Type) {
    name = String(describing: schema)
    version = Schema.version
    stability = Schema.stability
    records = Schema.Event.records.map { RecordOutline($0) }
  }

  /// The number of the record called `name`.
  package func index(of name: ExactText) -> Int? {
    records.firstIndex { $0.name == name }
  }

  /// The number of the record that the record of the version before called `name` is, by its name now or then.
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
