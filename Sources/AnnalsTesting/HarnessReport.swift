public import Annals

/// What a ``MigrationHarness`` found.
///
/// It is thrown where a check finds something wrong, so that a failed test prints it.
public struct HarnessReport: Error {
  /// The way by which a stored sample is read.
  public enum Route: Hashable, Sendable {
    /// From a real store that holds it.
    case store
    /// Stored again at every version between.
    case steps
    /// Stored again at one version between.
    case through(SchemaVersion)
  }

  /// Two ways to read one sample that do not give the same.
  public struct Disagreement: Sendable {
    /// The name on disk of the record.
    public let record: String
    /// Which of the record's samples it is, counted from 0.
    public let sample: Int
    /// The version that it is stored under.
    public let from: SchemaVersion
    /// The version that it is read as.
    public let to: SchemaVersion
    /// The way that gives something else.
    public let route: Route
    /// What the plan makes of it in one go.
    public let expected: String
    /// What comes out by the other way.
    public let found: String
  }

  /// A sample that no way reads: all fail alike.
  public struct Refusal: Sendable {
    /// The name on disk of the record.
    public let record: String
    /// Which of the record's samples it is, counted from 0.
    public let sample: Int
    /// The version that it is stored under.
    public let from: SchemaVersion
    /// The version that it cannot be read as.
    public let to: SchemaVersion
    /// The code and the step that fails.
    public let reason: String
  }

  /// How many samples of a record were read from one version as another.
  public struct Coverage: Hashable, Sendable {
    /// The name on disk of the record.
    public let record: String
    /// The version that it is stored under.
    public let from: SchemaVersion
    /// The version that it is read as.
    public let to: SchemaVersion
    /// How many samples the record has.
    public let samples: Int
  }

  /// Everything that two ways read differently.
  public internal(set) var disagreements: [Disagreement] = []
  /// Everything that cannot be read, by any way; that is no mistake of the plan where it is meant so.
  public internal(set) var refusals: [Refusal] = []
  /// Every record of every version, read as every version from its own on.
  public internal(set) var coverage: [Coverage] = []

  /// The pairs of versions of which nothing can be said, because the record has no samples.
  public var uncovered: [Coverage] { coverage.filter { $0.samples == 0 } }
}

extension HarnessReport: CustomStringConvertible {
  /// The disagreements, refusals and records without samples, a line each.
  public var description: String {
    var lines = disagreements.map { found in
      "\(found.record)[\(found.sample)] of \(found.from) as \(found.to), \(found.route):\n    expected \(found.expected)\n    found    \(found.found)"
    }
    lines += refusals.map {
      "\($0.record)[\($0.sample)] of \($0.from) cannot be read as \($0.to): \($0.reason)"
    }
    // A record without samples is missing from every pair of its version; once is enough.
    lines += uncovered.filter { $0.from == $0.to }.map {
      "'\($0.record)' of \($0.from) has no samples: give it 'static var samples'"
    }
    return lines.isEmpty ? "all ways agree" : lines.joined(separator: "\n")
  }
}

extension HarnessReport.Route: CustomStringConvertible {
  /// The way in words.
  public var description: String {
    switch self {
    case .store: "from a store"
    case .steps: "stored again at every version between"
    case .through(let version): "stored again at \(version)"
    }
  }
}
