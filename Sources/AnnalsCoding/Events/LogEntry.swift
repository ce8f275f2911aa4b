#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An entry as it is stored, for audits, dumps and other uses without a plan.
public struct LogEntry: Sendable {
  /// The content of an entry.
  public enum Content: Hashable, Sendable {
    /// One payload.
    case payload(Payload)
    /// The parts that a split left when a migration pass rewrote the entry.
    case parts([Part])
    /// No payload, with the reason for its removal.
    case stub(reason: String)
  }

  /// One part of an entry that was split.
  public struct Part: Hashable, Sendable {
    /// The path of the part: an index for each split.
    public let path: [UInt32]
    /// The name of its record type.
    public let type: String
    /// The schema version that it is stored under; `nil` for none.
    public let version: SchemaVersion?
    /// The payload of the part.
    public let payload: Payload

    package init(path: [UInt32], type: String, version: SchemaVersion?, payload: Payload) {
      self.path = path
      self.type = type
      self.version = version
      self.payload = payload
    }
  }

  /// The position in the log.
  public let position: Position
  /// The stream that the entry belongs to.
  public let stream: StreamName
  /// The revision in the stream.
  public let revision: Revision
  /// The name of the record type; that of the first part if there are parts.
  public let type: String
  /// The schema version that it is stored under; `nil` for none.
  public let version: SchemaVersion?
  /// The time at which it was appended.
  public let time: Timestamp
  /// The id that the writer gave the event, if any.
  public let id: UUID?
  /// The metadata that the writer gave the event.
  public let metadata: Metadata
  /// Whether it is the last entry of its append call.
  public let isEndOfCall: Bool
  /// The content.
  public let content: Content
  /// The hashes of the attachments that the entry refers to.
  public let attachments: [ContentHash]
  /// The tags of the entry, in the order of their bytes. An erased entry has none.
  public let tags: [EventTag]

  package init(
    position: Position, stream: StreamName, revision: Revision, type: String, version: SchemaVersion?,
    time: Timestamp, id: UUID?, metadata: Metadata, isEndOfCall: Bool, content: Content,
    attachments: [ContentHash] = [], tags: [EventTag] = []
  ) {
    self.tags = tags
    self.position = position
    self.stream = stream
    self.revision = revision
    self.type = type
    self.version = version
    self.time = time
    self.id = id
    self.metadata = metadata
    self.isEndOfCall = isEndOfCall
    self.content = content
    self.attachments = attachments
  }
}
