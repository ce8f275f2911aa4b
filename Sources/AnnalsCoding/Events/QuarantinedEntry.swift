/// An entry that a reader skipped because it could not be decoded or upcast.
public struct QuarantinedEntry: Sendable {
  /// The position in the log.
  public let position: Position
  /// The stream that the entry belongs to.
  public let stream: StreamName
  /// The revision in the stream.
  public let revision: Revision
  /// The name of the record type that it is stored as; that of the failed part if the entry has parts.
  public let type: String
  /// The schema version that it is stored under; `nil` for none.
  public let version: SchemaVersion?
  /// The error that a reader without quarantine throws at this entry, with code `malformed` or `ruleFailed`.
  public let cause: AnnalsError

  package init(
    position: Position, stream: StreamName, revision: Revision, type: String, version: SchemaVersion?,
    cause: AnnalsError
  ) {
    self.position = position
    self.stream = stream
    self.revision = revision
    self.type = type
    self.version = version
    self.cause = cause
  }
}
