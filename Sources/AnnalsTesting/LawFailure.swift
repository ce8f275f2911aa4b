/// A law does not hold.
public struct LawFailure: Error, CustomStringConvertible {
  /// What does not hold, and where, in words.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
