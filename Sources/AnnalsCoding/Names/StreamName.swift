/// The name of a stream: any text of 1 to 500 bytes of UTF-8 without NUL.
///
/// The text has no structure: `..`, `/`, emoji and newlines have no special meaning. Two names are equal if
/// their UTF-8 bytes are, so texts that Swift's `String` considers equal (precomposed and decomposed letters)
/// may name two streams. The call that takes a name checks it.
public struct StreamName: Sendable {
  /// The name as text.
  public let text: String

  /// Creates a stream name, which is checked when it is used.
  public init(_ text: String) {
    self.text = text
  }
}

extension StreamName: Hashable, Comparable {
  /// Returns whether the two names have the same bytes.
  public static func == (left: StreamName, right: StreamName) -> Bool {
    ExactText(left.text) == ExactText(right.text)
  }

  /// Returns whether the bytes of `left` sort before those of `right`.
  public static func < (left: StreamName, right: StreamName) -> Bool {
    ExactText(left.text) < ExactText(right.text)
  }

  /// Hashes the name's bytes into `hasher`.
  public func hash(into hasher: inout Hasher) {
    ExactText(text).hash(into: &hasher)
  }
}

extension StreamName: ExpressibleByStringInterpolation, CustomStringConvertible {
  /// Creates a stream name from a literal; it is checked when it is used.
  public init(stringLiteral text: String) {
    self.text = text
  }

  /// The name as text.
  public var description: String { text }
}
