public import Annals

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Origin {
  /// Creates the facts about an entry that a rule may use, for tests of rules.
  ///
  /// - Parameters:
  ///   - position: The position of the entry in the log.
  ///   - stream: The stream of the entry.
  ///   - revision: The revision of the entry in its stream.
  ///   - time: The time of the append, in the years 1 to 9999 and to the microsecond. A time outside of these
  ///     years becomes 1970-01-01.
  ///   - id: The id that the writer gave the event.
  ///   - metadata: The metadata that the writer gave the event.
  ///   - log: The id of the log, on which ids derived from the entry depend.
  public static func sample(
    position: Position = 1, stream: StreamName = "sample", revision: Revision = 0,
    time: Date = Date(timeIntervalSinceReferenceDate: 0), id: UUID? = nil, metadata: Metadata = [:],
    log: UUID = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  ) -> Origin {
    Origin(
      position: position, stream: stream, revision: revision,
      timestamp: Timestamp(time) ?? Timestamp(microseconds: 0), id: id, metadata: metadata, log: log)
  }
}
