#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The contents of a copy of a store: a backup, or a restored store.
public struct CopyReport: Hashable, Sendable {
  /// The number of entries in the log of the copy.
  public let entries: UInt64
  /// The number of streams.
  public let streams: UInt64
  /// The length of the copy's log file in bytes.
  public let bytes: Int
  /// The number of the generation that was copied.
  public let generation: UInt64
  /// The number of restores in the history of the copy.
  public let incarnation: UInt64
  /// The id under which the store has recorded the backup; `nil` for a restore, and if the store was open for
  /// reading only.
  public internal(set) var backup: UUID? = nil
  /// Why the store could not record the backup; `nil` if it did, and for a restore.
  public internal(set) var unrecorded: String? = nil
}
