/// A chain without its types: what a plan is checked by, and what its steps are looked up by.
struct ChainOutline: Sendable {
  /// The schemas, oldest first.
  let schemas: [SchemaOutline]
  /// The stages; each leads from the schema of its own index to the next.
  let stages: [StageOutline]
}

/// A schema version without its types.
struct SchemaOutline: Sendable {
  /// The unqualified Swift name of the schema, for messages.
  let name: String
  /// The version.
  let version: SchemaVersion
  /// The records in the order of the event's cases.
  let records: [RecordOutline]
}

/// A record of a schema without its type.
struct RecordOutline: Sendable {
  /// The name of the case in Swift.
  let caseName: String
  /// The name on disk.
  let name: ExactText
  /// The Swift type.
  let type: ObjectIdentifier
  /// The unqualified name of the Swift type, for messages.
  let typeName: String
}

/// A stage without its types.
struct StageOutline: Sendable {
  /// The rules in the order in which they are written.
  let rules: [RuleOutline]

  /// What may come out of the rule for the case numbered `index`; `nil` where there is none.
  func effect(on index: Int) -> RuleEffect? {
    rules.first { $0.caseIndex == index }?.effect
  }
}

/// A rule without its types.
struct RuleOutline: Sendable {
  /// The number of the case that the rule takes.
  let caseIndex: Int
  /// What may come out.
  let effect: RuleEffect
}

extension SchemaOutline {
  init<Schema: VersionedSchema>(_ schema: Schema.Type) {
    name = String(describing: schema)
    version = Schema.version
    records = Schema.Event.records.map {
      RecordOutline(
        caseName: $0.caseName, name: ExactText($0.type.recordName), type: ObjectIdentifier($0.type),
        typeName: String(describing: $0.type))
    }
  }

  /// The number of the record called `name`.
  func index(of name: ExactText) -> Int? {
    records.firstIndex { $0.name == name }
  }
}

extension MigrationStage {
  /// This stage without its types.
  var outline: StageOutline {
    StageOutline(rules: rules.map { RuleOutline(caseIndex: $0.caseIndex, effect: $0.effect) })
  }
}
