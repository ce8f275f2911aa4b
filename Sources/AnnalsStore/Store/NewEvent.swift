public import AnnalsCoding
public import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An event to append, with an optional id, metadata, time and tags.
public struct NewEvent<Event: SchemaEvent>: Sendable {
  /// The event.
  public var event: Event
  /// The caller's id for the event, by which a repeated append is recognised.
  ///
  /// The store's ``StoreOptions/idempotency`` sets how long an id is recognised. By default, it is recognised
  /// while the event is among the newest 64 entries of its stream. A call repeated later is stored again.
  public var id: UUID?
  /// The metadata to store with the event. It never affects the meaning of the event.
  public var metadata: Metadata
  /// The time of the event; `nil` for the time of the append.
  public var time: Date?
  /// Tags in addition to those that the event's fields declare; at most 64 in all.
  public var tags: [EventTag]

  /// Creates an event to append.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - id: An id that no other event of the stream has; recognised as far back as the store's
  ///     ``StoreOptions/idempotency`` says.
  ///   - metadata: Anything else worth keeping, such as the user who caused the event.
  ///   - time: The time of the event, stored to the microsecond; `nil` for the time of the append.
  ///   - tags: Tags in addition to those that the event's fields declare.
  public init(
    _ event: Event, id: UUID? = nil, metadata: Metadata = [:], time: Date? = nil, tags: [EventTag] = []
  ) {
    self.tags = tags
    self.event = event
    self.id = id
    self.metadata = metadata
    self.time = time
  }
}
