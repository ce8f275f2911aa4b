internal import AnnalsCoding

/// The name of a shared log, from which the names at the broker follow.
///
/// Names of event streams are data inside the messages. They never become subjects of the broker.
struct LogName: Equatable, Sendable {
  /// The most characters of a name.
  static let longest = 64

  let text: String

  /// Creates a name.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName` unless `text` has 1 to 64 of the characters A to Z, a
  ///   to z, 0 to 9, - and _.
  init(_ text: String) throws(AnnalsError) {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isPlain, (1...Self.longest).contains(text.utf8.count) else {
      throw AnnalsError(
        .invalidName,
        "the name of a shared log has 1 to \(Self.longest) of the characters A-Z, a-z, 0-9, - and _, "
          + "and '\(text)' does not")
    }
    self.text = text
  }

  /// The name of the broker's stream.
  var stream: String { "annals-\(text)" }
  /// The one subject of all messages.
  var subject: String { "annals.\(text)" }
  /// The subject of questions to the machines, which the stream does not keep.
  var questions: String { "annals.\(text).machines" }
}
