#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An event to append to an ``EventLog`` without a plan: its type by name, its payload as CBOR.
public struct NewEntry: Sendable {
  /// The name of the record type: 1 to 500 bytes of UTF-8 without NUL.
  public var type: String
  /// The schema version that it is stored under; `nil` for none.
  public var version: SchemaVersion?
  /// The payload of the event.
  public var payload: Payload
  /// The caller's id for the event, by which a repeated append is recognised.
  ///
  /// The store's ``StoreOptions/idempotency`` decides how long an id is recognised: by default, while the
  /// event is among the newest 64 entries of its stream. A call that is repeated later is stored again.
  public var id: UUID?
  /// The metadata of the event.
  public var metadata: Metadata
  /// The time of the event, in the years 1 to 9999; `nil` for the time of the append.
  public var time: Timestamp?
  /// The attachments that the payload refers to, so that the store keeps them while it has the event.
  public var attachments: [Attachment]
  /// The tags by which queries find the event, at most 64.
  public var tags: [EventTag]

  /// Creates an event of the record type called `type`.
  ///
  /// - Parameters:
  ///   - type: The name of the record type, checked when the event is appended.
  ///   - version: The schema version that it is stored under; `nil` for none.
  ///   - payload: The payload of the event.
  ///   - id: An id that no other event of the stream has. The store's ``StoreOptions/idempotency`` decides
  ///     how long it is recognised.
  ///   - metadata: Additional data, such as the cause of the event.
  ///   - time: The time of the event; `nil` for the time of the append.
  ///   - attachments: The attachments that the payload refers to.
  ///   - tags: The tags by which queries find the event, at most 64; checked when the event is appended.
  public init(
    type: String, version: SchemaVersion?, payload: Payload, id: UUID? = nil, metadata: Metadata = [:],
    time: Timestamp? = nil, attachments: [Attachment] = [], tags: [EventTag] = []
  ) {
    self.tags = tags
    self.type = type
    self.version = version
    self.payload = payload
    self.id = id
    self.metadata = metadata
    self.time = time
    self.attachments = attachments
  }
}
