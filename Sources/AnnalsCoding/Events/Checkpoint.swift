#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How far somebody has read a log, with what shows that it is still the same log.
///
/// A log that was restored from a backup, or that lost its last commit to a power cut, can hold another entry at the same position, or none. So a checkpoint names the
/// log, and the entry by a checksum of its position, its time and its id, which no migration changes.
public struct Checkpoint: Hashable, Codable, Sendable {
  /// The id of the log, the same in all its copies and generations.
  public let log: UUID
  /// How often the log had been restored from a backup.
  public let incarnation: UInt64
  /// The position of the last entry that was read; 0 before the first.
  public let position: Position
  /// The CRC-32C of the entry's position and its time in microseconds since 1970, eight bytes each, the lowest first, and of the 16 bytes of its id, if it has one; 0 before
  /// the first entry.
  public let mark: UInt32

  package init(log: UUID, incarnation: UInt64, position: Position, mark: UInt32) {
    self.log = log
    self.incarnation = incarnation
    self.position = position
    self.mark = mark
  }

  /// Before the first entry of a log.
  package static func beginning(of log: UUID, incarnation: UInt64) -> Checkpoint {
    Checkpoint(log: log, incarnation: incarnation, position: 0, mark: 0)
  }
}
