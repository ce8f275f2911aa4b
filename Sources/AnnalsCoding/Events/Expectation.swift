/// What the writer of an append believes about a stream, compared with the stream's head at commit.
public enum Expectation: Hashable, Sendable {
  /// Nothing is expected.
  case any
  /// The stream holds no entry.
  case noStream
  /// The stream holds at least one entry.
  case exists
  /// The newest entry of the stream has this revision, exactly.
  case revision(Revision)
}

extension Expectation: CustomStringConvertible {
  /// The expectation in words.
  public var description: String {
    switch self {
    case .any: "any"
    case .noStream: "no stream"
    case .exists: "an existing stream"
    case .revision(let revision): "revision \(revision)"
    }
  }
}

extension Expectation {
  /// Whether a stream whose newest entry has revision `head` (`nil`: no entry) is as expected.
  package func holds(for head: Revision?) -> Bool {
    switch self {
    case .any: true
    case .noStream: head == nil
    case .exists: head != nil
    case .revision(let expected): head == expected
    }
  }
}

/// An expectation of an append that did not hold.
public struct Violation: Hashable, Sendable {
  /// The stream that was not as expected.
  public let stream: StreamName
  /// What the writer believed.
  public let expected: Expectation
  /// The revision of the stream's newest entry; `nil` where the stream holds none.
  public let actual: Revision?

  package init(stream: StreamName, expected: Expectation, actual: Revision?) {
    self.stream = stream
    self.expected = expected
    self.actual = actual
  }
}

extension Violation: CustomStringConvertible {
  /// The violation in words.
  public var description: String {
    "stream '\(stream)': expected \(expected), found \(actual.map { "revision \($0)" } ?? "no stream")"
  }
}
