/// A tag of an event, by which queries find it: a text such as `course:c1` of 1 to 500 bytes of UTF-8 without
/// NUL.
///
/// By convention the text is a name, a colon and a value. Two tags are equal if their UTF-8 bytes are, so
/// texts that Swift's `String` considers equal (precomposed and decomposed letters) may be two tags. The call
/// that takes a tag checks it.
public struct EventTag: Sendable {
  /// The tag as text.
  public let text: String

  /// Creates a tag, which is checked when it is used.
  public init(_ text: String) {
    self.text = text
  }

  /// Creates the tag `name:value`, as `@Field(tag: "name")` on a field with this value does.
  ///
  /// - Parameters:
  ///   - name: The part before the colon.
  ///   - value: The value, whose text follows the colon.
  public init(_ name: String, _ value: some TagValue) {
    self.text = "\(name):\(value.tagText)"
  }

  /// The text up to the first colon, or all of it.
  package var name: ExactText {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return ExactText(text) }
    return ExactText(String(text[..<colon]))
  }

  /// Throws `.invalidName` unless the tag may be stored.
  package func check() throws(AnnalsError) {
    guard let fault = NameRule.fault(of: text) else { return }
    throw AnnalsError(
      .invalidName,
      "a tag has 1 to \(NameRule.maximum) bytes of UTF-8 and no NUL, but \(fault); choose another tag, such as the id of a long value"
    )
  }
}

extension EventTag: Hashable, Comparable {
  /// Returns whether the two tags have the same bytes.
  public static func == (left: EventTag, right: EventTag) -> Bool {
    ExactText(left.text) == ExactText(right.text)
  }

  /// Returns whether the bytes of `left` sort before those of `right`.
  public static func < (left: EventTag, right: EventTag) -> Bool {
    ExactText(left.text) < ExactText(right.text)
  }

  /// Hashes the tag's bytes into `hasher`.
  public func hash(into hasher: inout Hasher) {
    ExactText(text).hash(into: &hasher)
  }
}

extension EventTag: ExpressibleByStringInterpolation, CustomStringConvertible {
  /// Creates a tag from a literal; it is checked when it is used.
  public init(stringLiteral text: String) {
    self.text = text
  }

  /// The tag as text.
  public var description: String { text }
}
