public import AnnalsCoding
internal import AnnalsLog
public import AnnalsVerify

/// The result of a repair, or of its dry run.
public struct RepairReport: Hashable, Sendable {
  /// An entry that cannot be read.
  public struct Entry: Hashable, Sendable {
    /// The position of the entry.
    public let position: Position
    /// Why it cannot be read; never a payload.
    public let problem: String
    /// The stream that it is in afterwards: its own, or one called `annals/unreadable/POSITION` if its own is
    /// unknown.
    public let stream: StreamName
    /// Its place in that stream.
    public let revision: Revision
    /// Whether its own stream is known. If not, it was the newest entry of some stream, whose next entry gets
    /// its revision.
    public let isKnown: Bool
    /// Whether only the order of its stream identifies the entry. If several were lost between the same
    /// neighbours, it may be another of them.
    public let isFitted: Bool
  }

  /// Whether a new generation is in use.
  public internal(set) var isDone = false
  /// The generation in use.
  public internal(set) var generation: UInt64
  /// The generation that was repaired, and to which a rollback returns; the same number if nothing was done.
  public let predecessor: UInt64
  /// The entries that cannot be read, in the order of their positions.
  public let entries: [Entry]
  /// The other findings, rebuilt from the log: rows that are wrong, and rows that lead to lost entries; at
  /// most ``VerifyReport/limit``.
  public let rebuilt: [Finding]

  /// Whether there is anything to repair.
  public var isNeeded: Bool { !entries.isEmpty || !rebuilt.isEmpty }
}
