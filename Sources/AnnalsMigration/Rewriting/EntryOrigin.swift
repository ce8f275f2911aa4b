internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Computes what rules may know of entries, with the names of streams that one thread has met.
struct EntryOrigin {
  private let log: UUID
  /// Positions never change, so names are kept from snapshot to snapshot.
  private var names = StreamNames(limit: 262_144)

  init(log: UUID) {
    self.log = log
  }

  /// Begins to load the name of a stream that is needed soon, if it is known.
  @inline(__always)
  func prefetch(_ id: Position) { names.prefetch(id) }

  /// The name of the stream whose first entry is at `id`.
  mutating func name(of id: Position, _ reader: StoreReader) throws(AnnalsError) -> StreamName {
    try names.name(of: id, reader)
  }

  /// What rules may know of `entry`, of the snapshot of `reader`.
  mutating func origin(
    of entry: borrowing LentEntry, _ reader: StoreReader
  ) throws(AnnalsError) -> Origin {
    guard entry.header.flags.contains(.metadata) else {
      return Origin(
        position: entry.position, stream: try names.name(of: entry, reader), revision: entry.revision,
        timestamp: entry.time, id: entry.id, log: log)
    }
    return Origin(
      position: entry.position, stream: try names.name(of: entry, reader), revision: entry.revision,
      timestamp: entry.time, id: entry.id,
      metadata: try EntryReading.metadata(of: entry), log: log)
  }
}
