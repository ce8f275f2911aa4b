public import AnnalsCoding
public import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An event to append, and what its writer wants noted beside it.
public struct NewEvent<Event: SchemaEvent>: Sendable {
  /// The event.
  public var event: Event
  /// The caller's id for the event, by which a repeated append is recognised.
  ///
  /// How long an id is recognised is decided by the store's ``StoreOptions/idempotency``: by default while
  /// the event is among the newest 64 entries of its stream. A call that is repeated later is stored again
  /// then.
  public var id: UUID?
  /// What to note beside the event; it never affects what the event means.
  public var metadata: Metadata
  /// When it happened; `nil` for the time of the append.
  public var time: Date?

  /// The event `event` with what is to be noted beside it.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - id: An id that no other event of the stream has; recognised as far back as the store's
  ///     ``StoreOptions/idempotency`` says.
  ///   - metadata: Anything else worth keeping, such as who caused it.
  ///   - time: When it happened, kept to the microsecond; `nil` for the time of the append.
  public init(_ event: Event, id: UUID? = nil, metadata: Metadata = [:], time: Date? = nil) {
    self.event = event
    self.id = id
    self.metadata = metadata
    self.time = time
  }
}
