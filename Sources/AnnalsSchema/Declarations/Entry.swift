public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A stored event as it is read today: its coordinates, its metadata, and its value in the plan's current
/// version.
public struct Entry<Event: SchemaEvent>: Sendable {
  /// The position in the log.
  public let position: Position
  /// The path of this part in a split: `[]` for an entry that no rule has split, `[1]` for the second part of
  /// a split entry.
  public var path: [UInt32] { rare?.path ?? [] }
  /// The stream that the entry belongs to.
  public let stream: StreamName
  /// The revision in the stream, which the parts of a split share.
  public let revision: Revision
  /// The exact time at which the entry was appended.
  public let timestamp: Timestamp
  /// The id that the writer gave the event, if any.
  public let id: UUID?
  /// The metadata that the writer gave the event.
  public var metadata: Metadata { rare?.metadata ?? Metadata() }
  /// The tags that are stored with the entry, in the order of their bytes. The parts of a split share them.
  public var tags: [EventTag] { rare?.tags ?? [] }
  /// The path, the metadata and the tags; `nil` if all are empty.
  @usableFromInline let rare: RareParts?
  /// The event in the plan's current version.
  public let event: Event

  /// The time at which the entry was appended.
  public var time: Date { timestamp.date }

  @inlinable package init(_ event: consuming Event, from origin: Origin) {
    position = origin.position
    stream = origin.stream
    revision = origin.revision
    timestamp = origin.timestamp
    id = origin.id
    rare = origin.rare
    self.event = event
  }
}
