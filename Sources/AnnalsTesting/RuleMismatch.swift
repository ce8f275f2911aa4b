/// The error for a plan whose events differ from those that a test expects.
public struct RuleMismatch: Error, CustomStringConvertible {
  /// The expected and the actual events, in words.
  public let description: String

  init(_ description: String) {
    self.description = description
  }

  init(expected: [String], found: [String]) {
    let left = expected.map { "\n    \($0)" }.joined()
    let right = found.map { "\n    \($0)" }.joined()
    description = "the plan gives something else\n  expected:\(left)\n  found:\(right)"
  }
}
