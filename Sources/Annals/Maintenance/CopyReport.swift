/// What a copy of a store has: a backup, or a store that was restored.
public struct CopyReport: Hashable, Sendable {
  /// How many entries the log of the copy has.
  public let entries: UInt64
  /// How many streams it has.
  public let streams: UInt64
  /// The length of the copy's log file in bytes.
  public let bytes: Int
  /// The number of the generation that was copied.
  public let generation: UInt64
  /// How often the copy, and what it is a copy of, was restored.
  public let incarnation: UInt64
}
