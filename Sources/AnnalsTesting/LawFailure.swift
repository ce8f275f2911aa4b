/// The violation of a law.
public struct LawFailure: Error, CustomStringConvertible {
  /// The violation and its place, in words.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
