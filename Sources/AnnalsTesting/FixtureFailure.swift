public import Annals

/// The problems of recorded fixtures, or of a plan that reads them differently than before.
public struct FixtureFailure: Error {
  /// One problem.
  public enum Problem: Hashable, Sendable {
    /// A file is missing, and recording is off.
    case missing(file: String)
    /// A file is of a version above the plan's current one.
    case future(file: String, version: SchemaVersion, current: SchemaVersion)
    /// A file is of a version that is not in the plan's chain.
    case unknownVersion(file: String, version: SchemaVersion)
    /// A file cannot be read.
    case unreadable(file: String, reason: String)
    /// A line of a file of payloads is malformed; lines are counted from 1.
    case malformed(file: String, line: Int, reason: String)
    /// The plan cannot read the payloads of a record, because their version was changed after it was
    /// recorded.
    case noPath(file: String, record: String, reason: String)
    /// A payload reads differently than when it was recorded.
    case changed(file: String, line: Int, sample: String, expected: String, found: String)
  }

  /// All problems.
  public let problems: [Problem]

  init(_ problems: [Problem]) {
    self.problems = problems
  }
}

extension FixtureFailure.Problem {
  /// Whether the problem is only that a file has not been recorded yet.
  var isOnlyMissing: Bool {
    if case .missing = self { true } else { false }
  }
}

extension FixtureFailure: CustomStringConvertible {
  /// A line for each problem, with advice.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension FixtureFailure.Problem: CustomStringConvertible {
  /// The problem in words.
  public var description: String {
    switch self {
    case .missing(let file):
      "\(file) is missing: run the test once with ANNALS_RECORD=1, read it and commit it"
    case .future(let file, let version, let current):
      "\(file) was recorded by a later release: it is of version \(version), and the plan ends at \(current)"
    case .unknownVersion(let file, let version):
      "\(file) is of version \(version), which the plan does not have: put the version back, or remove its files where no store has it any more"
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .malformed(let file, let line, let reason): "\(file), line \(line): \(reason)"
    case .noPath(let file, let record, let reason): "\(file): '\(record)' cannot be read: \(reason)"
    case .changed(let file, let line, let sample, let expected, let found):
      "\(file), line \(line): \(sample) is not what it was\n    recorded \(expected)\n    today    \(found)"
    }
  }
}
