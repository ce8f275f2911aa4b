package import AnnalsCoding

/// What a program has released, as a file in its repository keeps it: the shapes of each version, and what its rules do with samples.
package struct PlanLock: Sendable {
  /// A released version.
  package struct Version: Sendable {
    package let version: SchemaVersion
    /// The records, sorted by name.
    package var records: [Record]
    /// The stage that leads to the version; `nil` in the oldest one.
    var stage: Stage?
    /// The line of the file, counted from 1; 0 where it is in none.
    var line = 0
  }
  /// A record of a released version.
  package struct Record: Sendable {
    package let name: ExactText
    package var formerNames: [ExactText] = []
    package var reservedNames: [ExactText] = []
    /// What payloads look like; `nil` where they are stored by name.
    package var shape: StoredShape?
    /// The paths of the cases that stand for unknown ones, sorted; they are not part of the shape.
    var unknownCases: [ExactText] = []
    /// The samples; `nil` where there are none.
    var samples: SampleDigest?
    var line = 0
  }
  /// The stage that leads to a released version.
  struct Stage: Sendable {
    /// The version that it leads from.
    let from: SchemaVersion
    /// What it does with each record of that version, sorted by name.
    var records: [StagedRecord]
    var line = 0
  }
  /// What a stage does with a record of the older version.
  struct StagedRecord: Sendable {
    let name: ExactText
    /// The constants that new fields get, as `field = JSON`, sorted.
    var constants: [ExactText] = []
    /// What becomes of the samples; `nil` where there are none, or the stage has a context.
    var behaviour: SampleDigest?
    /// Whether entries of it stay as they are stored.
    var isRetained = false
    var line = 0
  }

  /// The versions, oldest first.
  package var versions: [Version] = []

  package init() {}

  /// The newest version of the file's form.
  static let newestForm = 3

  /// The version of the file's form: 3 where some stage retains records, 2 where some record has a case for
  /// unknown ones.
  var form: Int {
    if versions.contains(where: { $0.stage?.records.contains(where: \.isRetained) ?? false }) { return 3 }
    return versions.contains { $0.records.contains { !$0.unknownCases.isEmpty } } ? 2 : 1
  }
}

extension PlanLock {
  /// What the file would say of the released versions of a plan.
  init(_ outline: ChainOutline, _ samples: PlanSamples) {
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
        version.stage = Stage(from: older.version, records: staged.sorted { $0.name < $1.name })
      }
      versions.append(version)
    }
  }

  /// The version `version`, if it is there.
  package subscript(version: SchemaVersion) -> Version? { versions.first { $0.version == version } }
}

extension ChainOutline {
  /// The constants that the stage numbered `index` gives to new fields of a record, as `field = JSON`, sorted.
  fileprivate func constants(of record: Int, at index: Int) -> [ExactText] {
    guard case .converted(let target, _) = crossings[index][record] else { return [] }
    return (stages[index].constants[target] ?? [:]).map { ExactText("\($0.key.text) = \($0.value)") }.sorted()
  }
}
