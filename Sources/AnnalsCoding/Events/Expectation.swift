/// The state of a stream that an append requires, compared with the stream's head at commit.
public enum Expectation: Hashable, Sendable {
  /// Nothing is expected.
  case any
  /// The stream has no event, or reads as empty because it was truncated.
  case noStream
  /// The stream has at least one event that is read.
  case exists
  /// The newest entry of the stream has exactly this revision.
  case revision(Revision)
}

extension Expectation: CustomStringConvertible {
  /// The expectation as text.
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
  /// Returns whether a stream whose newest entry has revision `head` (`nil`: no entry) meets the expectation.
  ///
  /// - Parameter isEmptied: Whether none of its entries is read any more.
  package func holds(for head: Revision?, isEmptied: Bool = false) -> Bool {
    switch self {
    case .any: true
    case .noStream: head == nil || isEmptied
    case .exists: head != nil && !isEmptied
    case .revision(let expected): head == expected
    }
  }
}

/// An expectation of an append that did not hold.
public struct Violation: Hashable, Sendable {
  /// The stream that did not meet the expectation.
  public let stream: StreamName
  /// The expected state.
  public let expected: Expectation
  /// The revision of the stream's newest entry; `nil` if the stream has none.
  public let actual: Revision?

  package init(stream: StreamName, expected: Expectation, actual: Revision?) {
    self.stream = stream
    self.expected = expected
    self.actual = actual
  }
}

extension Violation: CustomStringConvertible {
  /// The violation as text.
  public var description: String {
    "stream '\(stream)': expected \(expected), found \(actual.map { "revision \($0)" } ?? "no stream")"
  }
}
