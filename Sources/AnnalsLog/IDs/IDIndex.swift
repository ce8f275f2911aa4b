package import AnnalsCoding
package import AnnalsFormat
package import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension StoreReader {
  /// What `meta` says of the table `ids`; `nil` if the table is empty, or has every id of the log.
  package func idIndexRow() throws(AnnalsError) -> IDIndexRow? {
    try row(IDIndexRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in try IDIndexRow(bytes) }
  }

  /// The revision of the newest entry of a stream with an id, as the index has it; `nil` if there is none.
  package func revision(of id: UUID, in stream: Position, _ index: Table) throws(AnnalsError) -> Revision? {
    let key = IDRow.key(stream, id)
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: key.span, in: index) } catch {
      throw AnnalsError(error)
    }
    guard let stored else { return nil }
    return try Self.open(stored, key: key.span, name: "stream \(stream), id \(id)", in: index) {
      (bytes) throws(FormatFailure) in try IDRow.revision(bytes)
    }
  }
}

extension WriteTransaction {
  /// Sets a row of the index of ids, with its checksum.
  package mutating func put(_ row: IDRow, in index: Table) throws(AnnalsError) {
    let key = row.key
    do throws(EnvironmentError) {
      try put(Row.seal(row.encoded(), key: key).span, forKey: key.span, in: index)
    } catch {
      throw AnnalsError(error)
    }
  }
}

extension Environment {
  /// The index of ids, if the file has it and it is open.
  package var ids: Table? { later(StoreTables.ids.name) }

  /// Opens the index of ids, if the file has it: another process may have made it.
  package func openIDs() throws(AnnalsError) {
    do throws(EnvironmentError) { _ = try open(later: StoreTables.ids) } catch { throw AnnalsError(error) }
  }
}

extension AnnalsError {
  /// A store that says it has an index of ids has none.
  package static var missingIDs: AnnalsError {
    AnnalsError(
      .damaged, "table 'ids' is missing, which the store says it has; run 'annals repair'",
      details: Details { $0.table = "ids" })
  }
}
