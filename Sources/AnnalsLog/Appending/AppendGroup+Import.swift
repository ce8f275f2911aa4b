internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// A state of the log that an import has compared its lines with.
package struct LogSight: Sendable {
  /// The generation's number.
  package var generation: UInt64
  /// The position of the newest entry; 0 for none.
  package var last: UInt64

  package init(generation: UInt64, last: UInt64) {
    self.generation = generation
    self.last = last
  }

  /// Another generation is in use by now, where the same entries may be in other streams.
  package struct Outdated: Error {}
}

extension AppendGroup {
  /// An event id in a stream.
  private struct StoredID: Hashable {
    var stream: UInt64
    var id: UUID
  }

  /// Returns the events of an import's call whose ids are still not in their streams.
  ///
  /// The import has searched before the transaction began. Entries after `sight` are compared here, where no
  /// other writer can add any. So each id is stored once, however many imports run at the same time.
  ///
  /// - Throws: ``AnnalsError`` with ``LogSight/Outdated`` if the import must search again; any error of
  ///   reading.
  /// - Complexity: O(entries since the search).
  mutating func unknown(
    of call: AppendRequest, since sight: LogSight, in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> AppendRequest {
    guard call.hasIDs, !(sight.generation == generation.number && sight.last == last) else { return call }
    guard sight.generation == generation.number, sight.last < last else {
      throw AnnalsError(
        .busy, "another generation of the store came into use; try again", underlying: LogSight.Outdated())
    }
    let since = try ids(after: sight.last, StoreReader(transaction.view, tables))
    guard !since.isEmpty else { return call }
    try locate(call, in: transaction)
    let ends = ends
    return call.without { part, item in
      guard let id = item.id, let end = ends[part] else { return false }
      return since.contains(StoredID(stream: end.id.rawValue, id: id))
    }
  }

  /// The ids of the entries after a position.
  private func ids(after position: UInt64, _ reader: StoreReader) throws(AnnalsError) -> Set<StoredID> {
    var ids: Set<StoredID> = []
    var cursor = try reader.entriesCursor()
    var row: IntegerRow?
    do { row = try cursor.seek(position + 1) } catch { throw AnnalsError(error) }
    while let found = row {
      let header = try reader.header(found.value, at: Position(found.key))
      if header.flags.contains(.id) {
        ids.insert(
          StoredID(stream: header.stream.rawValue, id: UUID(found.value, at: header.id.lowerBound)))
      }
      row = try cursor.nextRow()
    }
    return ids
  }
}
