#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The place in a log after which a reader continues, with a checksum that detects another log.
///
/// A log that was restored from a backup, or that lost its last commit in a power loss, can have another
/// entry at the same position, or none. A checkpoint therefore identifies the log, and the entry by a
/// checksum of its position, its time, and its id or commit, which no migration changes.
public struct Checkpoint: Hashable, Codable, Sendable {
  /// The id of the log, the same in all its copies and generations.
  public let log: UUID
  /// The number of times the log had been restored from a backup.
  public let incarnation: UInt64
  /// The position of the last entry that was read; 0 before the first.
  public let position: Position
  /// The CRC-32C of the entry's coordinates; 0 before the first entry. It covers the position and the time in
  /// microseconds since 1970 (eight bytes each, little-endian), and the 16 bytes of the id, if there is one.
  /// For an entry without an id whose time is more than ten seconds from that of its commit, it is the
  /// CRC-32C of that number (four bytes), and of the first position and time that the log has noted for the
  /// commit (eight bytes each).
  public let mark: UInt32

  package init(log: UUID, incarnation: UInt64, position: Position, mark: UInt32) {
    self.log = log
    self.incarnation = incarnation
    self.position = position
    self.mark = mark
  }

  /// Returns the checkpoint before the first entry of a log.
  package static func beginning(of log: UUID, incarnation: UInt64) -> Checkpoint {
    Checkpoint(log: log, incarnation: incarnation, position: 0, mark: 0)
  }
}
