package import AnnalsCoding
package import AnnalsSchema
internal import AnnalsShapes

/// A comparison of the released versions in a lock file with the plan.
package struct LockComparison {
  /// A difference in a released version.
  package struct Difference: Sendable {
    package let version: SchemaVersion
    /// The record concerned; `nil` if the difference concerns the version as a whole.
    package let record: String?
    /// The line of the file.
    package let line: Int
    /// The expected value, the value found, and the text to write.
    package let description: String
  }

  private let lock: PlanLock
  private let found: PlanLock
  private let outline: ChainOutline
  private let samples: PlanSamples
  /// All differences in released versions, in the order of the file.
  package private(set) var differences: [Difference] = []
  /// The released versions that the file does not have.
  package private(set) var unlocked: [SchemaVersion] = []
  /// The file with everything added that it lacks; existing lines are unchanged.
  package private(set) var extended: PlanLock

  package init(_ lock: PlanLock, with outline: ChainOutline, _ samples: PlanSamples) {
    self.lock = lock
    self.outline = outline
    self.samples = samples
    found = PlanLock(outline, samples)
    extended = lock
    for version in lock.versions { compare(version) }
    findUnlocked()
    extend()
  }

  private mutating func report(
    _ version: SchemaVersion, _ record: ExactText? = nil, line: Int, _ description: String
  ) {
    differences.append(
      Difference(version: version, record: record?.text, line: line, description: description))
  }

  private func name(_ version: SchemaVersion) -> String {
    outline.schemas.first { $0.version == version }.map { PlanProblem.Schema($0).description }
      ?? version.description
  }

  private mutating func compare(_ locked: PlanLock.Version) {
    let version = locked.version
    // Versions that were removed from the old end of the chain keep their lines.
    guard let oldest = outline.schemas.first?.version, version >= oldest else { return }
    guard let schema = outline.schemas.first(where: { $0.version == version }) else {
      return report(
        version, line: locked.line,
        "version \(version) was released, and the plan does not have it any more: put its schema and its stages back"
      )
    }
    guard schema.stability != .draft, let now = found[version] else {
      return report(
        version, line: locked.line,
        "\(name(version)) was released, and is a draft now: release it, by leaving out .draft, and put changes into a new version"
      )
    }
    for record in locked.records {
      if let same = now.records.first(where: { $0.name == record.name }) {
        compareForms(record, same, in: version)
        compareNames(record, same, in: version)
        compareSamples(record, in: version)
      } else {
        report(
          version, record.name, line: record.line,
          "record '\(record.name.text)' of \(name(version)) was released, and the schema does not have it any more: put it back, and drop it in a new version"
        )
      }
    }
    for record in now.records where !locked.records.contains(where: { $0.name == record.name }) {
      report(
        version, record.name, line: locked.line,
        "record '\(record.name.text)' of \(name(version)) is not among those that were released with the version: put it into a new version"
      )
    }
    compareStages(locked, now)
  }

  private mutating func compareForms(
    _ locked: PlanLock.Record, _ now: PlanLock.Record, in version: SchemaVersion
  ) {
    guard locked.shape != now.shape, !isKept(locked, in: version) else { return }
    var text = "record '\(locked.name.text)' of \(name(version)) is not what was released"
    if let expected = locked.shape, let found = now.shape {
      text += Self.differences(expected.shape, found.shape).map { "\n    \($0)" }.joined()
    }
    text += "\n    expected \(locked.shape?.text ?? "by name")\n    found    \(now.shape?.text ?? "by name")"
    text += "\n    give it back what it was released with, and put the change into a new version"
    report(version, locked.name, line: locked.line, text)
  }

  /// Whether a record that was released by its shape is kept as a tree, which reads all of its payloads and
  /// needs no type of its own.
  ///
  /// This does not apply to the newest version, which programs store: they would store it in another form.
  private func isKept(_ locked: PlanLock.Record, in version: SchemaVersion) -> Bool {
    guard locked.shape != nil, version != outline.schemas.last?.version,
      let place = place(of: locked.name, in: version)
    else { return false }
    return outline.schemas[place.schema].records[place.record].isTree
  }

  private mutating func compareNames(
    _ locked: PlanLock.Record, _ now: PlanLock.Record, in version: SchemaVersion
  ) {
    func list(_ names: [ExactText]) -> String {
      names.isEmpty ? "none" : names.map { "'\($0.text)'" }.joined(separator: ", ")
    }
    let record = "record '\(locked.name.text)' of \(name(version))"
    if locked.formerNames != now.formerNames {
      report(
        version, locked.name, line: locked.line,
        "\(record) has not the former names that it was released with: expected \(list(locked.formerNames)), found \(list(now.formerNames)); give them back"
      )
    }
    if now.shape != nil, !Set(locked.unknownCases).isSubset(of: now.unknownCases) {
      report(
        version, locked.name, line: locked.line,
        "\(record) has lost a case that stands for unknown ones: expected \(list(locked.unknownCases)), found \(list(now.unknownCases)); write @UnknownCase at it again, or programs of the version stop at cases that later versions add"
      )
    }
    if !Set(locked.reservedNames).isSubset(of: now.reservedNames) {
      report(
        version, locked.name, line: locked.line,
        "\(record) reserves fewer names than it was released with: expected \(list(locked.reservedNames)), found \(list(now.reservedNames)); give them back"
      )
    }
  }

  private mutating func compareSamples(_ locked: PlanLock.Record, in version: SchemaVersion) {
    guard let expected = locked.samples, let place = place(of: locked.name, in: version),
      // A record of another form has other payloads; that difference is already reported.
      outline.schemas[place.schema].records[place.record].shape == locked.shape
    else { return }
    let found = samples.digest(schema: place.schema, record: place.record, first: expected.count)
    guard found != expected else { return }
    report(
      version, locked.name, line: locked.line,
      "the samples of record '\(locked.name.text)' of \(name(version)) are not those that it was released with: restore the first \(expected.count), and add new ones after them"
    )
  }

  private func place(of record: ExactText, in version: SchemaVersion) -> (schema: Int, record: Int)? {
    guard let schema = outline.schemas.firstIndex(where: { $0.version == version }),
      let record = outline.schemas[schema].index(of: record)
    else { return nil }
    return (schema, record)
  }

  private mutating func compareStages(_ locked: PlanLock.Version, _ now: PlanLock.Version) {
    // A stage from a version that was removed from the chain keeps its lines.
    guard let expected = locked.stage, let found = now.stage else { return }
    // A version that was removed or inserted is reported separately.
    guard expected.from == found.from else { return }
    compareRetags(expected, found, in: locked.version)
    for record in expected.records {
      // A rule reads the tree, in place of the stage's conversion of the shape.
      if let older = lock[expected.from]?.records.first(where: { $0.name == record.name }),
        isKept(older, in: expected.from)
      {
        continue
      }
      compareConstants(record, found, in: locked.version)
      compareRetention(record, found, in: locked.version)
      guard let digest = record.behaviour, let place = place(of: record.name, in: expected.from) else {
        continue
      }
      // Other samples have other results; that difference is already reported.
      if let known = lock[expected.from]?.records.first(where: { $0.name == record.name })?.samples,
        samples.digest(schema: place.schema, record: place.record, first: known.count) != known
      {
        continue
      }
      let behaviour = samples.behaviour(stage: place.schema, record: place.record, first: digest.count)
      guard behaviour != digest else { continue }
      // If the plan is inconsistent there is nothing to compare, and the plan's own check reports why.
      guard behaviour != nil || outline.stages[place.schema].hasContext else { continue }
      report(
        locked.version, record.name, line: record.line,
        "the stage from \(name(expected.from)) to \(name(locked.version)) does something else with '\(record.name.text)' than when it was released: its samples gave \(digest.fingerprint.hexadecimal.prefix(12)), and \(behaviour.map { "give \($0.fingerprint.hexadecimal.prefix(12))" } ?? "wait for a context") now; give the rule back what it did, and correct events in a new version"
      )
    }
  }

  private mutating func compareRetention(
    _ locked: PlanLock.StagedRecord, _ found: PlanLock.Stage, in version: SchemaVersion
  ) {
    guard let now = found.records.first(where: { $0.name == locked.name }),
      now.isRetained != locked.isRetained
    else { return }
    let stage = "the stage from \(name(found.from)) to \(name(version))"
    report(
      version, locked.name, line: locked.line,
      locked.isRetained
        ? "\(stage) retained '\(locked.name.text)' when it was released, and does not now, so that a migration pass would rewrite or remove entries that it kept: write Retain for it again"
        : "\(stage) did not retain '\(locked.name.text)' when it was released, and does now: give it back the rule that it had"
    )
  }

  private mutating func compareRetags(
    _ locked: PlanLock.Stage, _ found: PlanLock.Stage, in version: SchemaVersion
  ) {
    func list(_ tags: [ExactText]?) -> String {
      tags.map { $0.map(\.text).joined(separator: ", ") } ?? "none"
    }
    for name in Set((locked.retags + found.retags).map(\.name)).sorted() {
      let expected = locked.retags.first { $0.name == name }
      let now = found.retags.first { $0.name == name }?.tags
      guard expected?.tags != now else { continue }
      report(
        version, name, line: expected?.line ?? locked.line,
        "the stage from \(self.name(found.from)) to \(self.name(version)) computes other tags of '\(name.text)' again than when it was released, and stores that a pass has taken there keep theirs\n    expected \(list(expected?.tags))\n    found    \(list(now))\n    give it the Retag back that it had, and compute tags in a new version"
      )
    }
  }

  private mutating func compareConstants(
    _ locked: PlanLock.StagedRecord, _ found: PlanLock.Stage, in version: SchemaVersion
  ) {
    guard let now = found.records.first(where: { $0.name == locked.name }), now.constants != locked.constants
    else { return }
    let list = { (constants: [ExactText]) in
      constants.isEmpty ? "none" : constants.map(\.text).joined(separator: ", ")
    }
    report(
      version, locked.name, line: locked.line,
      "the stage from \(name(found.from)) to \(name(version)) gives other constants to '\(locked.name.text)' than when it was released\n    expected \(list(locked.constants))\n    found    \(list(now.constants))\n    give it the constants back, and correct events in a new version"
    )
  }

  private mutating func findUnlocked() {
    unlocked = found.versions.map(\.version).filter { lock[$0] == nil }
    for version in unlocked {
      guard let before = lock.versions.last(where: { $0.version < version }),
        let after = lock.versions.first(where: { $0.version > version }), let newest = lock.versions.last
      else { continue }
      report(
        version, line: after.stage?.line ?? after.line,
        "version \(version) stands between \(before.version) and \(after.version), which were released without it: give it a version above \(newest.version)"
      )
    }
  }

  /// Adds missing lines. A `-` means unknown and may be filled in; no fact is ever changed.
  private mutating func extend() {
    for now in found.versions {
      let place =
        extended.versions.firstIndex { $0.version >= now.version } ?? extended.versions.endIndex
      if lock[now.version] == nil { extended.versions.insert(now, at: place) }
      var version = extended.versions[place]
      for (number, record) in version.records.enumerated() {
        let cases = now.records.first { $0.name == record.name }?.unknownCases ?? []
        version.records[number].unknownCases = Set(record.unknownCases).union(cases).sorted()
      }
      for (number, record) in version.records.enumerated() where record.samples == nil {
        version.records[number].samples = now.records.first { $0.name == record.name }?.samples
      }
      if version.stage == nil { version.stage = now.stage }
      for (number, record) in (version.stage?.records ?? []).enumerated()
      where lock[now.version]?.stage == nil || record.behaviour == nil {
        version.stage?.records[number].behaviour = behaviour(of: record.name, from: now.stage?.from)
      }
      extended.versions[place] = version
    }
  }

  /// Returns the result of those samples of a record that the lock has, which may be fewer than there are
  /// now.
  private func behaviour(of record: ExactText, from version: SchemaVersion?) -> SampleDigest? {
    guard let version, let place = place(of: record, in: version) else { return nil }
    let known = extended[version]?.records.first { $0.name == record }?.samples
    return samples.behaviour(stage: place.schema, record: place.record, first: known?.count)
  }
}
