internal import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds where the groups of one fold end, in one read of the whole log.
///
/// It keeps, for each stream, the last record of its newest group, but not the contents of the group.
final class GroupGathering<From: VersionedSchema> {
  private let cases: FoldedCases
  private let key: (From.Event, Origin) throws -> GroupKey?
  private var groups = StreamGroups()

  init(_ fold: FoldRule<From>) {
    cases = fold.cases
    key = fold.makeKey()
  }

  /// Adds the next entry of the log.
  ///
  /// - Throws: ``AnnalsError`` with code `ruleFailed` for an error that a key throws.
  func add(_ entry: Entry<From.Event>, log: UUID) throws {
    guard cases.contains(entry.event.caseIndex) else { return }
    groups.add(try key(of: entry, log), in: entry.stream, entry.revision, at: entry.position, entry.path)
  }

  /// Ends the newest group of a stream: the next record in it begins another.
  func endGroup(of stream: StreamName) {
    groups.endGroup(of: stream)
  }

  /// Ends all groups, and returns their rows.
  func finish() -> [ContextTable.Row] {
    groups.finish()
    return groups.rows
  }

  private func key(of entry: Entry<From.Event>, _ log: UUID) throws -> GroupKey? {
    let origin = Origin(
      position: entry.position, path: entry.path, stream: entry.stream, revision: entry.revision,
      timestamp: entry.timestamp, id: entry.id, metadata: entry.metadata, log: log)
    do { return try key(entry.event, origin) } catch {
      throw AnnalsError(
        .ruleFailed,
        "position \(origin.position), stream '\(origin.stream)', revision \(origin.revision): the 'grouping' of the fold of '\(From.Event.records[entry.event.caseIndex].type.recordName)' of version \(From.version) threw \(error.words); nothing was changed",
        details: AnnalsError.Details {
          $0.position = origin.position
          $0.stream = origin.stream
          $0.revision = origin.revision
          $0.type = From.Event.records[entry.event.caseIndex].type.recordName
          $0.version = From.version
        }, underlying: error)
    }
  }
}
