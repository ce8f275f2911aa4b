/// Entries of one type and version that a plan cannot convert to its current version.
public struct UnreadableKind: Hashable, Sendable {
  /// The record name of the entries.
  public let type: String
  /// The schema version that they were stored under; `nil` if they were stored without one.
  public let version: SchemaVersion?
  /// The number of entries.
  public let count: UInt64
  /// The position of the first entry.
  public let firstPosition: Position
  /// The missing step, as text.
  public let missing: String

  package init(type: String, version: SchemaVersion?, count: UInt64, firstPosition: Position, missing: String)
  {
    self.type = type
    self.version = version
    self.count = count
    self.firstPosition = firstPosition
    self.missing = missing
  }
}
