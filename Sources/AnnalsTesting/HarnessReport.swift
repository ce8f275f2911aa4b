public import Annals

/// The findings of a ``MigrationHarness``.
///
/// It is thrown if a check finds a problem, so that a failed test prints it.
public struct HarnessReport: Error {
  /// The route by which a stored sample is read.
  public enum Route: Hashable, Sendable {
    /// From a real store that contains it.
    case store
    /// Stored again at every version in between.
    case steps
    /// Stored again at one version in between.
    case through(SchemaVersion)
  }

  /// A sample that two routes read differently.
  public struct Disagreement: Sendable {
    /// The name on disk of the record.
    public let record: String
    /// The number of the sample among the record's, counted from 0.
    public let sample: Int
    /// The version under which it is stored.
    public let from: SchemaVersion
    /// The version as which it is read.
    public let to: SchemaVersion
    /// The route with the different result.
    public let route: Route
    /// The result of the plan in one go.
    public let expected: String
    /// The result of the other route.
    public let found: String
  }

  /// A sample that no route can read: all fail alike.
  public struct Refusal: Sendable {
    /// The name on disk of the record.
    public let record: String
    /// The number of the sample among the record's, counted from 0.
    public let sample: Int
    /// The version under which it is stored.
    public let from: SchemaVersion
    /// The version as which it cannot be read.
    public let to: SchemaVersion
    /// The code and the failing step.
    public let reason: String
  }

  /// The number of samples of a record that were read from one version as another.
  public struct Coverage: Hashable, Sendable {
    /// The name on disk of the record.
    public let record: String
    /// The version under which they are stored.
    public let from: SchemaVersion
    /// The version as which they are read.
    public let to: SchemaVersion
    /// The number of samples of the record.
    public let samples: Int
  }

  /// All samples that two routes read differently.
  public internal(set) var disagreements: [Disagreement] = []
  /// All samples that no route can read. This is not a mistake if the plan intends it.
  public internal(set) var refusals: [Refusal] = []
  /// Every record of every version, read as its own and every later version.
  public internal(set) var coverage: [Coverage] = []

  /// The pairs of versions that cannot be checked, because the record has no samples.
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
    // A record without samples is missing from every pair of its version; reporting it once is enough.
    lines += uncovered.filter { $0.from == $0.to }.map {
      "'\($0.record)' of \($0.from) has no samples: give it 'static var samples'"
    }
    return lines.isEmpty ? "all ways agree" : lines.joined(separator: "\n")
  }
}

extension HarnessReport.Route: CustomStringConvertible {
  /// The route in words.
  public var description: String {
    switch self {
    case .store: "from a store"
    case .steps: "stored again at every version between"
    case .through(let version): "stored again at \(version)"
    }
  }
}
