/// Entries of one type and version that a plan has no path for.
public struct UnreadableKind: Hashable, Sendable {
  /// The record name of the entries.
  public let type: String
  /// The schema version they were written under; `nil` where they were stored without one.
  public let version: SchemaVersion?
  /// How many there are.
  public let count: UInt64
  /// Where the first one stands.
  public let firstPosition: Position
  /// The step that is missing, in words.
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
