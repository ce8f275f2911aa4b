public import AnnalsCoding

/// One version of the shapes of all events: a closed list of record types.
///
/// `@Schema` writes the conformance; docs and tests show a manual one.
public protocol VersionedSchema: Sendable {
  /// An event of this version: one case for each of its records.
  associatedtype Event: SchemaEvent
  /// The version with which events of this schema are stored.
  static var version: SchemaVersion { get }
  /// Whether the version is released, so that its shapes may no longer change; released by default.
  static var stability: SchemaStability { get }
  /// Logs of several events and streams, for tests of rules that use more than one entry; none by default.
  static var sampleLogs: [[SampledEvent<Event>]] { get }
}

extension VersionedSchema {
  /// Released.
  public static var stability: SchemaStability { .released }

  /// None.
  public static var sampleLogs: [[SampledEvent<Event>]] { [] }
}

/// An event of one schema version: an enum with one case for each record.
///
/// The cases are numbered from 0 in the order of ``records``. `@Schema` writes every requirement; each only
/// forwards the case's record and makes no decisions.
public protocol SchemaEvent: Sendable {
  /// A property for each case, of type ``RecordCase``, whose key path names the record in rules.
  associatedtype Cases: Sendable
  /// A property for each case, of type ``RecordStep``: the next step of its record.
  associatedtype Steps: Sendable
  /// The cases, for key paths to read.
  static var cases: Cases { get }
  /// The record types in the order of the cases.
  static var records: [SchemaRecord] { get }
  /// Returns the steps that `source` has for the cases, asking for each once, in order.
  ///
  /// - Throws: Any error that `source` throws.
  static func steps(from source: inout some StepSource<Self>) throws(AnnalsError) -> Steps
  /// The number of this event's case.
  var caseIndex: Int { get }
  /// The tags of the case's record; none by default.
  var tags: [EventTag] { get }
  /// Appends the payload of the case's record to the end of `payload`.
  ///
  /// - Throws: ``CodingFailure`` if a value of the record has no encoding.
  func encode(into payload: inout [UInt8]) throws(CodingFailure)
  /// Passes the case's record to its step.
  ///
  /// - Throws: Any error that the step throws.
  consuming func send(through steps: Steps, _ origin: Origin, into buffer: EventBuffer) throws(StepFailure)
}

extension SchemaEvent {
  /// None.
  public var tags: [EventTag] { [] }

  /// Whether events of any record can have tags.
  ///
  /// - Complexity: O(n) in the number of records.
  package static var hasTags: Bool { records.contains { $0.type.hasTags } }
}

/// A record type as a case of a schema's event.
public struct SchemaRecord: Sendable {
  /// The name of the case in Swift, without backticks.
  public let caseName: String
  /// The record type.
  public let type: any Record.Type

  /// Creates the record type `type` for the case called `caseName`.
  public init(_ caseName: String, _ type: any Record.Type) {
    self.caseName = caseName
    self.type = type
  }
}
