public import AnnalsCoding

/// What a repair has done, or would do.
public struct RepairReport: Hashable, Sendable {
  /// An entry that cannot be read.
  public struct Entry: Hashable, Sendable {
    /// Where it is.
    public let position: Position
    /// Why it cannot be read; never a payload.
    public let problem: String
    /// The stream that it is in afterwards: its own, or one that is called `annals/unreadable/POSITION` where nothing says which one that was.
    public let stream: StreamName
    /// Its place in that stream.
    public let revision: Revision
    /// Whether its own stream is known. If it is not, it was the newest entry of some stream, whose next entry gets its revision.
    public let isKnown: Bool
    /// Whether only the order of its stream says which entry it was; of several lost ones between the same neighbours it may be another.
    public let isFitted: Bool
  }

  /// Whether a new generation is in use.
  public internal(set) var isDone = false
  /// The generation in use.
  public internal(set) var generation: UInt64
  /// The generation that was repaired, and that can be rolled back to; the same number where nothing was done.
  public let predecessor: UInt64
  /// The entries that cannot be read, in the order of their positions.
  public let entries: [Entry]
  /// What else was found that follows from the log, and is made anew from it: rows that are wrong, and rows that lead to lost entries; at most ``VerifyReport/limit``.
  public let rebuilt: [Finding]

  /// Whether there is anything to repair.
  public var isNeeded: Bool { !entries.isEmpty || !rebuilt.isEmpty }
}
