package import AnnalsCoding
package import AnnalsShapes

/// The released versions of a program, as a file in its repository keeps them: the shapes of each version,
/// and the results of its rules for samples.
package struct PlanLock: Sendable {
  /// A released version.
  package struct Version: Sendable {
    package let version: SchemaVersion
    /// The records, sorted by name.
    package var records: [Record]
    /// The stage that leads to the version; `nil` for the oldest one.
    package var stage: Stage?
    /// The line of the file, counted from 1; 0 if it is in none.
    package var line = 0
  }
  /// A record of a released version.
  package struct Record: Sendable {
    package let name: ExactText
    package var formerNames: [ExactText] = []
    package var reservedNames: [ExactText] = []
    /// The shape of the payloads; `nil` if they are stored by name.
    package var shape: StoredShape?
    /// The paths of the cases for unknown ones, sorted; they are not part of the shape.
    package var unknownCases: [ExactText] = []
    /// The digest of the samples; `nil` if there are none.
    package var samples: SampleDigest?
    package var line = 0
  }
  /// The stage that leads to a released version.
  package struct Stage: Sendable {
    /// The version that it begins at.
    package let from: SchemaVersion
    /// Its conversion of each record of that version, sorted by name.
    package var records: [StagedRecord]
    /// The records of the newer version whose tags it computes again, sorted by name.
    package var retags: [Retag] = []
    package var line = 0
  }
  /// A record of the newer version whose tags a stage computes again.
  package struct Retag: Sendable {
    package let name: ExactText
    /// The names of the tags, sorted, each once.
    package var tags: [ExactText]
    package var line = 0
  }
  /// The conversion of a record of the older version by a stage.
  package struct StagedRecord: Sendable {
    package let name: ExactText
    /// The constants that new fields get, as `field = JSON`, sorted.
    package var constants: [ExactText] = []
    /// The digest of the results for the samples; `nil` if there are none, or the stage has a context.
    package var behaviour: SampleDigest?
    /// Whether its entries stay as they are stored.
    package var isRetained = false
    package var line = 0
  }

  /// The versions, oldest first.
  package var versions: [Version] = []

  package init() {}

  /// The newest version of the file's format.
  static let newestForm = 4

  /// The version of the file's format: 4 if a stage computes tags again, 3 if one retains records, 2 if a
  /// record has a case for unknown ones.
  var form: Int {
    if versions.contains(where: { $0.stage?.retags.isEmpty == false }) { return 4 }
    if versions.contains(where: { $0.stage?.records.contains(where: \.isRetained) ?? false }) { return 3 }
    return versions.contains { $0.records.contains { !$0.unknownCases.isEmpty } } ? 2 : 1
  }
}

extension PlanLock {
  /// Creates the lock of the released versions of a plan.
  package init(_ outline: ChainOutline, _ samples: PlanSamples) {
    for (index, schema) in outline.schemas.enumerated() where schema.stability != .draft {
      let records = schema.records.enumerated().map { number, record in
        Record(
          name: record.name, formerNames: record.formerNames.sorted(),
          reservedNames: record.reservedNames.sorted(), shape: record.shape,
          unknownCases: record.shape?.shape.unknownCases ?? [],
          samples: samples.digest(schema: index, record: number))
      }
      var version = Version(version: schema.version, records: records.sorted { $0.name < $1.name })
      if index > 0 {
        let older = outline.schemas[index - 1]
        let staged = older.records.enumerated().map { number, record in
          StagedRecord(
            name: record.name, constants: outline.constants(of: number, at: index - 1),
            behaviour: samples.behaviour(stage: index - 1, record: number),
            isRetained: outline.crossings[index - 1][number].isRetained)
        }
        let retags = outline.stages[index - 1].retags.compactMap { rule -> Retag? in
          guard schema.records.indices.contains(rule.caseIndex) else { return nil }
          return Retag(name: schema.records[rule.caseIndex].name, tags: Set(rule.names).sorted())
        }
        version.stage = Stage(
          from: older.version, records: staged.sorted { $0.name < $1.name },
          retags: retags.sorted { $0.name < $1.name })
      }
      versions.append(version)
    }
  }

  /// The version `version`, if the lock has it.
  package subscript(version: SchemaVersion) -> Version? { versions.first { $0.version == version } }
}

extension ChainOutline {
  /// Returns the constants that the stage numbered `index` sets for new fields of a record, as
  /// `field = JSON`, sorted.
  fileprivate func constants(of record: Int, at index: Int) -> [ExactText] {
    let target: Int
    switch crossings[index][record] {
    case .converted(let number, _): target = number
    case .rule:
      guard let keep = stages[index].rule(for: record)?.keep else { return [] }
      target = keep.target
    case .carried, .redeclared, .forgotten: return []
    }
    return (stages[index].constants[target] ?? [:]).map { ExactText("\($0.key.text) = \($0.value)") }.sorted()
  }
}
