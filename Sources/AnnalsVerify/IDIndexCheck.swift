package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Compares the index of event ids with the entries, in the order of the log.
///
/// Each entry with an id must have a row that leads to it, or to a newer entry of its stream with the same
/// id. Each row must be that of one entry, so as many rows are confirmed as there are.
package struct IDIndexCheck {
  /// The index; `nil` if the store has none.
  let table: Table?
  /// Up to which position the index must have every id; 0 where its rows mean nothing.
  let position: UInt64
  /// Whether any row may be there.
  let isExpected: Bool
  /// The number of rows that lead to an entry.
  private(set) var confirmed: UInt64 = 0

  /// What `meta` says of the index; what cannot be read is added to `report`.
  package init(_ reader: StoreReader, _ table: Table?, _ report: inout VerifyReport) {
    self.table = table
    do throws(AnnalsError) {
      let isInForce = try reader.idempotency() == .always
      let row = try reader.idIndexRow()
      switch (isInForce, row) {
      case (true, nil): position = .max
      case (false, .building(let end)): position = end
      case (false, _): position = 0
      case (true, _):
        report.add(
          Finding(
            place: "table 'meta', row '\(IDIndexRow.name)'",
            problem: "it says that the index of event ids is incomplete, and 'requires' that it is in use",
            repair: .rebuild))
        position = 0
      }
      isExpected = isInForce || row != nil
      if isInForce, table == nil {
        report.add(Finding(place: "table 'ids'", problem: "it is missing", repair: .rebuild))
      }
    } catch {
      report.add(error, place: "table 'meta'")
      position = 0
      isExpected = true
    }
  }

  /// Looks up the row of an entry.
  ///
  /// - Returns: What is wrong with it; `nil` for nothing.
  mutating func check(
    _ bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position, _ reader: StoreReader
  ) throws(AnnalsError) -> String? {
    guard let table, position.rawValue <= self.position, header.flags.contains(.id) else { return nil }
    let id = UUID(bytes, at: header.id.lowerBound)
    guard let revision = try reader.revision(of: id, in: header.stream, table) else {
      return "table 'ids' has no row for the entry's event id"
    }
    if revision == header.revision {
      confirmed += 1
    } else if revision < header.revision {
      return "table 'ids' leads from the entry's event id to revision \(revision), which is older"
    }
    return nil
  }
}

extension TableCheck {
  /// Compares how many rows the index of event ids has with how many of them lead to an entry.
  package mutating func checkIDs(_ log: borrowing EntryCheck) throws(AnnalsError) {
    let index = log.index
    guard let table = index.table, !log.hasUnreadable else { return }
    let rows = UInt64(clamping: try reader.statistics(of: table).entries)
    if !index.isExpected {
      if rows > 0 { add("table 'ids'", "it has \(rows) rows, and the store has no index of event ids") }
    } else if index.position > 0, rows != index.confirmed {
      add("table 'ids'", "it has \(rows) rows, and \(index.confirmed) of them lead to an entry")
    }
  }
}
