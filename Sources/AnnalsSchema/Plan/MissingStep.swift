package import AnnalsCoding
package import AnnalsShapes

/// The step that a plan lacks to read a stored version and type.
package enum MissingStep: Error, Equatable, Sendable {
  /// The events were stored without a version.
  case unversioned
  /// The events were stored without a version, and their adoption has not been checked yet.
  case notAdopted
  /// The events were stored without a version and adopted as this version, which differs from the plan's
  /// version for them.
  case adopted(as: SchemaVersion)
  /// The version is above the plan's current one, and programs can read the events from `from` on. `isNoted`
  /// is whether the store has recorded that.
  case newerVersion(current: SchemaVersion, from: SchemaVersion, isNoted: Bool)
  /// The version is above the plan's current one, and the plan that wrote it changed the record in another
  /// way than this one.
  case otherBranch(current: SchemaVersion)
  /// The version is below the plan's oldest one. The text names the last release of the program that could
  /// read it, if the plan knows it.
  case olderVersion(oldest: SchemaVersion, lastRelease: String?)
  /// The version is between the plan's, and none of its schemas has it.
  case unknownVersion
  /// The schema of this version has no such record.
  case unknownType(in: SchemaVersion)
  /// A stage in between moves entries to other streams, and no pass has done so yet.
  case movesStreams(from: SchemaVersion, to: SchemaVersion)
  /// The version was released with another shape.
  case shapeChanged(stored: StoredShape, expected: StoredShape)
  /// A draft of the version had a shape that the present one does not read, for these reasons.
  case draftChanged(stored: StoredShape, expected: StoredShape, reasons: [String])
}

extension MissingStep: CustomStringConvertible {
  /// The missing step, as text.
  package var description: String {
    switch self {
    case .unversioned:
      "the events were stored without a schema version, and the plan does not say which one they are of: give it static var unversioned: UnversionedEvents { .adopt(as: V1.self) }"
    case .notAdopted:
      "the events were stored without a schema version, and it has not been made sure yet that they are of the one which the plan says: run 'activate', or open the store once with 'activating'"
    case .adopted(let version):
      "the events were stored without a schema version and taken for ones of \(version) when the store was activated: keep the schema of that version in the chain, and UnversionedEvents.adopt(as:) naming it"
    case .newerVersion(let current, let from, let isNoted):
      if from <= current {
        "the plan ends at version \(current), which cannot read their shape: use the program that wrote the events, or a newer one"
      } else if isNoted {
        "the plan ends at version \(current), and \(from) is the lowest version that can read the events: use the program that wrote them, or a newer one"
      } else {
        "the plan ends at version \(current), and the store does not say that a version below \(from) can read the events: use the program that wrote them, or a newer one; its next append notes which older versions can"
      }
    case .otherBranch(let current):
      "the plan ends at version \(current), and the version of the events does not follow it: the plan that wrote them went another way from an earlier version; use the program that wrote them, or one whose plan has both versions"
    case .olderVersion(let oldest, let release):
      if let release {
        "the plan begins at version \(oldest), and \(release) is the last release that reads it: run a migration pass with that one first; \(retainedAdvice)"
      } else {
        "the plan begins at version \(oldest): run a migration pass with a release whose plan still has this version, or put the older schemas and their stages before it; \(retainedAdvice)"
      }
    case .unknownVersion:
      "no schema of the plan has this version: put it and its stages back into the chain"
    case .unknownType(let version):
      "the schema of version \(version) has no record of this name: put it back, or return the name from its recordName"
    case .movesStreams(let from, let to):
      "the stage from \(from) to \(to) moves entries to other streams, which only a migration pass does before anybody reads through the plan: run 'migrate', or open the store with MigrationMode.beforeOpen (onRead and inBackground cannot)"
    case .shapeChanged(let stored, let expected):
      "the version was released with another shape: \(StoredShape.difference(stored, expected)); give the record back the shape it was released with, and put the change into a new version"
    case .draftChanged(let stored, let expected, let reasons):
      "a draft of the version stored them in a shape that cannot be read as the present one: found \(stored.text), expected \(expected.text) (\(reasons.joined(separator: "; "))); move this test store aside, or erase it with eraseDrafts(at:) if only drafts have written to it"
    }
  }

  /// The advice for events that no pass takes out of their version.
  private var retainedAdvice: String {
    "events that a 'Retain' of that plan keeps stay in this version after every pass, and need those schemas and stages in the plan"
  }
}

extension MissingStep {
  /// Returns the failure of a plan that ends at `current` for events stored as `kind`.
  package static func newerVersion(_ kind: RecordKind, current: SchemaVersion) -> MissingStep {
    .newerVersion(
      current: current, from: kind.oldestReader ?? kind.version ?? current,
      // Payloads by name are never read by an older version.
      isNoted: kind.oldestReader != nil || kind.shape == nil)
  }
}

extension MissingStep {
  /// The code of the error that callers get.
  package var code: AnnalsError.Code {
    switch self {
    case .newerVersion, .otherBranch: .newerSchema
    case .olderVersion: .storeTooOld
    case .shapeChanged, .draftChanged, .adopted: .shapeChanged
    case .notAdopted: .requiresActivation
    case .movesStreams: .requiresPass
    case .unversioned, .unknownVersion, .unknownType: .noPath
    }
  }
}
