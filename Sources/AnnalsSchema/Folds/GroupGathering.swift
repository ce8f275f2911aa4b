internal import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds where the groups of one fold end, in one read of the whole log.
///
/// It keeps, for each stream, the last record of its newest group, but not the contents of the group.
struct GroupGathering<From: VersionedSchema> {
  /// The newest group of a stream.
  private struct Group {
    let key: GroupKey?
    let first: Revision
    var last: (position: Position, path: [UInt32])
    var count = 1
  }

  private let cases: FoldedCases
  private let key: (From.Event, Origin) throws -> GroupKey?
  private var newest: [StreamName: Group] = [:]
  private var rows: [ContextTable.Row] = []

  init(_ fold: FoldRule<From>) {
    cases = fold.cases
    key = fold.makeKey()
  }

  /// Adds the next entry of the log.
  ///
  /// - Throws: ``AnnalsError`` with code `ruleFailed` for an error that a key throws.
  mutating func add(_ entry: Entry<From.Event>, log: UUID) throws {
    guard cases.contains(entry.event.caseIndex) else { return }
    let key = try self.key(of: entry, log)
    let last = (position: entry.position, path: entry.path)
    // `nil` is equal to no other key, so that it also ends the group before it.
    if let key, newest[entry.stream]?.key == key {
      newest[entry.stream]?.last = last
      newest[entry.stream]?.count += 1
      return
    }
    let ended = newest.updateValue(Group(key: key, first: entry.revision, last: last), forKey: entry.stream)
    if let ended { rows.append(Self.row(ended)) }
  }

  /// Ends the newest group of a stream: the next record in it begins another.
  mutating func endGroup(of stream: StreamName) {
    if let ended = newest.removeValue(forKey: stream) { rows.append(Self.row(ended)) }
  }

  /// Returns the rows of all groups.
  consuming func finish() -> [ContextTable.Row] {
    rows + newest.values.map(Self.row)
  }

  private static func row(_ group: Group) -> ContextTable.Row {
    (
      GroupEnd.key(at: group.last.position, group.last.path),
      GroupEnd(count: group.count, first: group.first).encoded()
    )
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
