/// A short text that an event is found by, such as `course:c1`: 1 to 500 bytes of UTF-8 without NUL.
///
/// Any text is allowed. By convention it is a key and a value with a colon between them, which is what
/// `@Field(tag:)` makes of a field. Two tags are equal if their UTF-8 bytes are. The call that takes a tag
/// checks the rule.
public struct Tag: Sendable {
  /// The tag as text.
  public let text: String

  /// Creates a tag, which is checked when it is used.
  public init(_ text: String) {
    self.text = text
  }

  /// Creates the tag `key:value`, which is checked when it is used.
  public init(_ key: String, _ value: String) {
    text = "\(key):\(value)"
  }
}

extension Tag: Hashable, Comparable {
  /// Returns whether the two tags have the same bytes.
  public static func == (left: Tag, right: Tag) -> Bool { ExactText(left.text) == ExactText(right.text) }

  /// Returns whether the bytes of `left` sort before those of `right`.
  public static func < (left: Tag, right: Tag) -> Bool { ExactText(left.text) < ExactText(right.text) }

  /// Hashes the tag's bytes into `hasher`.
  public func hash(into hasher: inout Hasher) { ExactText(text).hash(into: &hasher) }
}

extension Tag: ExpressibleByStringInterpolation, CustomStringConvertible {
  /// Creates a tag from a literal; it is checked when it is used.
  public init(stringLiteral text: String) {
    self.text = text
  }

  /// The tag as text.
  public var description: String { text }
}

extension Tag {
  /// The most tags of one event.
  package static let maximumCount = 64

  /// Throws `.invalidName` unless the tag is allowed.
  package func check() throws(AnnalsError) {
    guard let fault = NameRule.fault(of: text) else { return }
    throw AnnalsError(
      .invalidName,
      "a tag has 1 to \(NameRule.maximum) bytes of UTF-8 and no NUL, but \(fault); choose a shorter text")
  }
}
