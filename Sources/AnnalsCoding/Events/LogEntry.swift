#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An entry as it was stored: for audits, dumps and everything else that needs no plan.
public struct LogEntry: Sendable {
  /// What an entry holds.
  public enum Content: Hashable, Sendable {
    /// One payload.
    case payload(Payload)
    /// The parts that a split left when a migration pass rewrote the entry.
    case parts([Part])
    /// Nothing any more: why the payload is gone.
    case stub(reason: String)
  }

  /// One part of an entry that was split.
  public struct Part: Hashable, Sendable {
    /// Which part it is: an index for each split that it came through.
    public let path: [UInt32]
    /// The name of its record type.
    public let type: String
    /// The schema version it is stored under; `nil` for none.
    public let version: SchemaVersion?
    /// What it says.
    public let payload: Payload

    package init(path: [UInt32], type: String, version: SchemaVersion?, payload: Payload) {
      self.path = path
      self.type = type
      self.version = version
      self.payload = payload
    }
  }

  /// The place in the log.
  public let position: Position
  /// The stream that the entry belongs to.
  public let stream: StreamName
  /// The place in the stream.
  public let revision: Revision
  /// The name of the record type; of the first part where there are parts.
  public let type: String
  /// The schema version it is stored under; `nil` for none.
  public let version: SchemaVersion?
  /// When it was appended.
  public let time: Timestamp
  /// The id that the writer gave the event, if any.
  public let id: UUID?
  /// What the writer noted beside the event.
  public let metadata: Metadata
  /// Whether it is the last entry of its append call.
  public let isEndOfCall: Bool
  /// What it holds.
  public let content: Content

  package init(
    position: Position, stream: StreamName, revision: Revision, type: String, version: SchemaVersion?,
    time: Timestamp, id: UUID?, metadata: Metadata, isEndOfCall: Bool, content: Content
  ) {
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
  }
}
