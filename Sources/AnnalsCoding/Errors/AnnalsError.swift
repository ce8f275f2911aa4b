#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What went wrong, where, and what to do about it.
///
/// No message and no detail ever holds a payload or a metadata value.
public struct AnnalsError: Error, Sendable {
  /// The kind of failure.
  public let code: Code
  /// The failure in words: the place, what was expected, what was found, what to do.
  public let message: String
  /// The same facts as values.
  public var details: Details { facts?.details ?? Details() }
  /// The error below this one, where there is one.
  public let underlying: (any Error)?

  /// Apart from the error, which every call that can throw has room for: the facts take ten times as much.
  private let facts: Facts?

  private final class Facts: Sendable {
    let details: Details

    init(_ details: Details) { self.details = details }
  }

  /// An error of kind `code`.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: The failure in words.
  ///   - details: The same facts as values.
  ///   - underlying: The error below this one.
  public init(
    _ code: Code, _ message: String, details: Details? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    facts = details.map(Facts.init)
    self.underlying = underlying
  }
}

extension AnnalsError: CustomStringConvertible {
  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}

extension AnnalsError {
  /// The facts of an error as values; each is `nil` or empty where it says nothing of this error.
  public struct Details: Sendable {
    /// The stream concerned.
    public var stream: StreamName?
    /// The position of the entry concerned.
    public var position: Position?
    /// The revision of the entry concerned.
    public var revision: Revision?
    /// The record name concerned.
    public var type: String?
    /// The schema version concerned.
    public var version: SchemaVersion?
    /// The line of the input, counted from 1.
    public var line: Int?
    /// The column of the input in bytes, counted from 1.
    public var column: Int?
    /// How many lines of an input are done with: stored, there already, empty or skipped. A further import skips so many.
    public var linesStored: Int?
    /// The offset in bytes from the start of the payload, entry or file concerned.
    public var offset: Int?
    /// The table of the store concerned.
    public var table: String?
    /// The name of the file concerned, without the directories above the store.
    public var file: String?
    /// The event id concerned.
    public var id: UUID?
    /// The process that keeps others waiting, as it noted itself.
    public var holder: Int32?
    /// How long was waited.
    public var waited: Duration?
    /// Every expectation that did not hold.
    public var violations: [Violation] = []
    /// The streams that entries of the stream concerned have moved to.
    public var movedTo: [StreamName] = []
    /// Every stored kind that the plan cannot read.
    public var kinds: [UnreadableKind] = []
    /// Every field that would be lost.
    public var fields: [UndeclaredField] = []

    /// Where it is, in words, for a report that gives place and problem apart.
    package var place: String?
    /// What is wrong there, in words and without advice.
    package var problem: String?

    /// No facts.
    public init() {}

    /// Facts set by `fill`.
    package init(_ fill: (inout Details) -> Void) {
      fill(&self)
    }
  }
}
