/// The error for a rule that is not pure.
public struct PurityFailure: Error, CustomStringConvertible {
  /// The difference and its circumstances, in words.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
