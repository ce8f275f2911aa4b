/// The name of a stream: any text of 1 to 500 bytes of UTF-8 without NUL.
///
/// A name is only a name: `..`, `/`, emoji and newlines mean nothing. Two names are equal when their UTF-8
/// bytes are, so text that Swift's `String` takes for equal (precomposed and decomposed letters) may name two streams.
/// The rule is checked when the name is used, by the call that takes it.
public struct StreamName: Sendable {
  /// The name as text.
  public let text: String

  /// The stream name with this text, which is checked when it is used.
  public init(_ text: String) {
    self.text = text
  }
}

extension StreamName: Hashable, Comparable {
  /// Whether the two names have the same bytes.
  public static func == (left: StreamName, right: StreamName) -> Bool {
    ExactText(left.text) == ExactText(right.text)
  }

  /// Whether the bytes of `left` sort before those of `right`.
  public static func < (left: StreamName, right: StreamName) -> Bool {
    ExactText(left.text) < ExactText(right.text)
  }

  /// Feeds the name's bytes to `hasher`.
  public func hash(into hasher: inout Hasher) {
    ExactText(text).hash(into: &hasher)
  }
}

extension StreamName: ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The stream name written out, checked when it is used.
  public init(stringLiteral text: String) {
    self.text = text
  }

  /// The name as text.
  public var description: String { text }
}
