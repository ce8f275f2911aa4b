#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error of the library: its kind, its place, and how to resolve it.
///
/// No message and no detail ever contains a payload or a metadata value.
public struct AnnalsError: Error, Sendable {
  /// The kind of failure.
  public let code: Code
  /// The failure as text: the place, the expected and the actual value, and how to resolve it.
  public let message: String
  /// The same facts as values.
  public var details: Details { facts?.details ?? Details() }
  /// The error that caused this one, if any.
  public let underlying: (any Error)?

  /// A separate object, because every throwing call reserves space for the error, and the facts take ten
  /// times as much.
  private let facts: Facts?

  private final class Facts: Sendable {
    let details: Details

    init(_ details: Details) { self.details = details }
  }

  /// Creates an error of kind `code`.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - message: The failure as text.
  ///   - details: The same facts as values.
  ///   - underlying: The error that caused this one.
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

extension AnnalsError: LocalizedError {
  /// The code and the message, which `localizedDescription` returns too.
  public var errorDescription: String? { description }
}

extension AnnalsError {
  /// The facts of an error as values; each is `nil` or empty if it does not apply.
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
    /// The number of lines of an input that have been processed: stored, already present, empty or skipped.
    /// To continue the import, skip this number of lines.
    public var linesStored: Int?
    /// The offset in bytes from the start of the payload, entry or file concerned.
    public var offset: Int?
    /// The table of the store concerned.
    public var table: String?
    /// The name of the file concerned, without the directories above the store.
    public var file: String?
    /// The event id concerned.
    public var id: UUID?
    /// The id of the process that others wait for, as it recorded itself.
    public var holder: Int32?
    /// The time spent waiting.
    public var waited: Duration?
    /// Every expectation that did not hold.
    public var violations: [Violation] = []
    /// The streams that entries of the stream have moved to.
    public var movedTo: [StreamName] = []
    /// Every stored kind that the plan cannot read.
    public var kinds: [UnreadableKind] = []
    /// Every field that would be lost.
    public var fields: [UndeclaredField] = []

    /// The place as text, for a report that shows place and problem separately.
    package var place: String?
    /// The problem as text, without advice.
    package var problem: String?

    /// Creates empty details.
    public init() {}

    /// Creates details that `fill` sets.
    package init(_ fill: (inout Details) -> Void) {
      fill(&self)
    }
  }
}
