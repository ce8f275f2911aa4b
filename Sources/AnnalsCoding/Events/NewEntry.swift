#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An event to append to an ``EventLog``, which needs no plan: its type by name, its payload as CBOR.
public struct NewEntry: Sendable {
  /// The name of the record type: 1 to 500 bytes of UTF-8 without NUL.
  public var type: String
  /// The schema version it is written under; `nil` for none.
  public var version: SchemaVersion?
  /// What the event says.
  public var payload: Payload
  /// The caller's id for the event, by which a repeated append is recognised.
  ///
  /// How long an id is recognised is decided by the store's ``StoreOptions/idempotency``: by default while
  /// the event is among the newest 64 entries of its stream. A call that is repeated later is stored again
  /// then.
  public var id: UUID?
  /// What to note beside the event.
  public var metadata: Metadata
  /// When it happened, years 1 to 9999; `nil` for the time of the append.
  public var time: Timestamp?

  /// An event of the record type called `type`.
  ///
  /// - Parameters:
  ///   - type: The name of the record type, checked when the event is appended.
  ///   - version: The schema version it is written under; `nil` for none.
  ///   - payload: What the event says.
  ///   - id: An id that no other event of the stream has; recognised as far back as the store's
  ///     ``StoreOptions/idempotency`` says.
  ///   - metadata: Anything else worth keeping, such as who caused it.
  ///   - time: When it happened; `nil` for the time of the append.
  public init(
    type: String, version: SchemaVersion?, payload: Payload, id: UUID? = nil, metadata: Metadata = [:],
    time: Timestamp? = nil
  ) {
    self.type = type
    self.version = version
    self.payload = payload
    self.id = id
    self.metadata = metadata
    self.time = time
  }
}
