#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One append call, encoded and checked, on its way to the writer: all of its events are stored or none.
struct AppendRequest: Sendable {
  /// An event, encoded.
  struct Event: Sendable {
    /// The name of its record type.
    var type: String
    /// The schema version it is stored under.
    var version: SchemaVersion?
    /// A CBOR item.
    var payload: [UInt8]
    /// The caller's id.
    var id: UUID?
    /// A CBOR map, or nothing.
    var metadata: [UInt8] = []
    /// The caller's time, in microseconds since 1970; the call's time where there is none.
    var time: Int64?
  }

  /// What the call asks of one stream: without events it is only checked.
  struct Part: Sendable {
    var stream: StreamName
    var expectation: Expectation
    var events: [Event]
  }

  /// The parts in the order of the call. A stream may stand in several.
  var parts: [Part]
  /// The time of events that bring none, in microseconds since 1970.
  var time: Int64
}
