internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Where event ids are searched.
enum IDSearch {
  /// In this number of a stream's newest entries.
  case window(UInt64)
  /// In the index of ids.
  case index(Table)
}

/// The state by which appends are decided: the ends of the streams of a call, and the entries inside the
/// transaction that would add to them.
struct GroupState: AppendState, ~Escapable {
  let reader: StoreReader
  /// The parts of the call.
  let parts: [AppendRequest.Part]
  /// The end of each part's stream.
  let ends: [StreamEnd?]
  private let search: IDSearch
  /// Whether entries of any stream have moved to another one.
  let hasMoved: Bool
  /// Whether any stream may be closed or truncated.
  let hasLimits: Bool
  /// The conditions of the call; `nil` if it has none.
  var conditions: ConditionCheck?

  @_lifetime(copy reader)
  init(
    reader: StoreReader, parts: [AppendRequest.Part], ends: [StreamEnd?], search: IDSearch, hasMoved: Bool,
    hasLimits: Bool
  ) {
    self.reader = reader
    self.parts = parts
    self.ends = ends
    self.search = search
    self.hasMoved = hasMoved
    self.hasLimits = hasLimits
  }

  func limit(ofPart index: Int) throws(AnnalsError) -> StreamLimit {
    guard hasLimits, let end = ends[index] else { return StreamLimit() }
    return try reader.limit(of: end.id)
  }

  func moved(ofPart index: Int, holding ids: [UUID]) throws(AnnalsError) -> [StreamName] {
    var names = hasMoved ? try reader.movedStreams(from: parts[index].stream) : []
    for (place, name) in names.enumerated() where !ids.isEmpty {
      guard let head = try reader.storedHead(of: name) else { continue }
      let end = StreamEnd(id: head.id, revision: head.revision, last: head.last, newestID: head.newestID)
      // Rows that are older than the tail may not fit what is found. The order is only advice.
      guard let found = try? revisions(of: ids, in: end), !found.isEmpty else { continue }
      names.insert(names.remove(at: place), at: 0)
      break
    }
    return names
  }

  func mergedUpTo(_ name: StreamName) throws(AnnalsError) -> Position? {
    hasMoved ? try reader.mergedUpTo(name) : nil
  }

  func end(ofPart index: Int) -> StreamEnd? { ends[index] }

  func firstMatch() throws(AnnalsError) -> ConditionMatch? { try conditions?.firstMatch(reader) }

  func revisions(of ids: [UUID], in end: StreamEnd) throws(AnnalsError) -> [UUID: Revision] {
    guard let newest = end.newestID else { return [:] }
    var found: [UUID: Revision] = [:]
    switch search {
    case .window(let length):
      let last = end.revision.rawValue
      guard last - newest.rawValue < length else { return [:] }
      let wanted = Set(ids)
      for identity in try identities(of: end, (last < length ? 0 : last - length + 1)...last) {
        if let id = identity.id, wanted.contains(id) { found[id] = identity.revision }
      }
    case .index(let table):
      for id in ids {
        guard let revision = try reader.revision(of: id, in: end.id, table) else { continue }
        guard revision <= newest else {
          throw AnnalsError(
            .damaged,
            "table 'ids': it leads to revision \(revision) of the stream that begins at \(end.id), whose newest event id is at revision \(newest); run 'annals verify'",
            details: AnnalsError.Details { $0.table = "ids" })
        }
        found[id] = revision
      }
    }
    return found
  }

  func identities(
    of end: StreamEnd, _ revisions: ClosedRange<UInt64>
  ) throws(AnnalsError) -> [EntryIdentity] {
    let head = Head(id: end.id, revision: end.revision, last: end.last, levels: [], newestID: end.newestID)
    var touched = 0
    return try reader.walk(revisions, of: head, touched: &touched) { (bytes, header, position) in
      EntryIdentity(
        position: position, revision: header.revision,
        id: header.flags.contains(.id) ? UUID(bytes, at: header.id.lowerBound) : nil)
    }
  }
}
