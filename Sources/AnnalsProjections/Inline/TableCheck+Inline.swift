package import AnnalsCoding
package import AnnalsFormat
internal import AnnalsLog
package import AnnalsVerify
package import LMDB

extension TableCheck {
  /// Checks the records of inline projections in `meta`, and the key and checksum of each of their rows.
  ///
  /// Only a program with the projection can check the content of the rows.
  package mutating func checkInline(_ table: Table?, _ end: SnapshotEnd) throws(AnnalsError) {
    let rows: [RuleRow]
    do throws(AnnalsError) { rows = try reader.storedRuleRows() } catch {
      return add("table 'meta'", "a row of an inline projection cannot be read: \(error.message)")
    }
    for row in rows where row.folded > end.last {
      add(
        "table 'meta', row '\(RuleRow.foldedName)'",
        "the inline projection '\(row.name)' is folded up to position \(row.folded), and the log ends at \(end.last)"
      )
    }
    guard let table else {
      if rows.contains(where: { $0.folded > 0 }) { add("table 'inline'", "it is missing") }
      return
    }
    var cursor: Cursor
    do throws(EnvironmentError) { cursor = try reader.view.cursor(in: table) } catch {
      throw AnnalsError(error)
    }
    var count = 0
    while let row = try cursor.nextRow() {
      count += 1
      let place = "table 'inline', row \(count)"
      guard row.key.count > 3, rows.contains(where: { row.key.copied.starts(with: $0.keyPrefix) }) else {
        add(place, "its key begins with the number of no inline projection")
        continue
      }
      do throws(FormatFailure) { _ = try Row.open(row.value, key: row.key) } catch {
        add(place, "it is not what was stored (\(error))")
      }
    }
  }
}
