/// A rule is not pure.
public struct PurityFailure: Error, CustomStringConvertible {
  /// What gave something else, and when, in words.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
