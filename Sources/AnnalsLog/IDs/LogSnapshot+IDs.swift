public import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension LogSnapshot {
  /// Returns the entry with an event id in a stream; `nil` if the stream has none.
  ///
  /// The whole stream is searched, even where a repeated append is no longer recognised. If the same id was
  /// stored again there, the newest entry with it is returned. Erased and truncated entries are not found.
  ///
  /// - Parameters:
  ///   - id: The id that the caller gave to the event.
  ///   - stream: The stream.
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged`, `formatVersion`, `needsNewer` or
  ///   `inputOutput`.
  /// - Complexity: In a store that recognises ids with ``StoreOptions/Idempotency/always``, one look-up in
  ///   the index and at most 3 · log₄(length) entries. Otherwise every entry from the stream's newest id back
  ///   to the one that is found, or the whole stream if there is none.
  public func entry(id: UUID, in stream: StreamName) throws(AnnalsError) -> LogEntry? {
    guard let position = try position(ofID: id, in: stream) else { return nil }
    return try entry(at: position)
  }

  /// Returns the position of the newest visible entry of a stream with an event id; `nil` if there is none.
  package func position(ofID id: UUID, in stream: StreamName) throws(AnnalsError) -> Position? {
    guard let head = try head(of: stream), let newest = head.newestID else { return nil }
    let oldest = try limit(of: head.id).oldest
    guard newest >= oldest else { return nil }
    if try reader.requires(.ids) {
      guard let index = laterTables.first(where: { $0.definition == StoreTables.ids }) else {
        // Another process has made the index, which the next snapshot can use.
        try generation.environment.openIDs()
        return try search(id, back: newest, through: oldest, of: head)
      }
      return try lookUp(id, through: oldest, of: head, in: index)
    }
    return try search(id, back: newest, through: oldest, of: head)
  }

  /// Looks an id up in the index.
  private func lookUp(
    _ id: UUID, through oldest: Revision, of head: Head, in index: Table
  ) throws(AnnalsError) -> Position? {
    guard let revision = try reader.revision(of: id, in: head.id, index), revision >= oldest else {
      return nil
    }
    if revision <= head.revision {
      var touched = 0
      let position = try reader.position(of: revision, from: head, touched: &touched)
      let bytes = try reader.bytes(at: position)
      let header = try reader.header(bytes, at: position)
      try reader.check(header, at: position, is: revision, of: head.id)
      if header.flags.contains(.id), UUID(bytes, at: header.id.lowerBound) == id { return position }
    }
    throw AnnalsError(
      .damaged,
      "table 'ids': it leads to revision \(revision) of the stream that begins at \(head.id), which does not have the id; run 'annals verify'",
      details: AnnalsError.Details { $0.table = "ids" })
  }

  /// Searches a stream for an id from a revision back.
  private func search(
    _ id: UUID, back newest: Revision, through oldest: Revision, of head: Head
  ) throws(AnnalsError) -> Position? {
    var touched = 0
    let start = try reader.position(of: newest, from: head, touched: &touched)
    var found: Position?
    try reader.eachID(of: head.id, back: newest, at: start, through: oldest) { (row, position) in
      if row.id == id { found = position }
      return found == nil
    }
    return found
  }
}
