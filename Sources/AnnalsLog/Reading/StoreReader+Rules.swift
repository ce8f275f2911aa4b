package import AnnalsCoding
package import AnnalsFormat
package import LMDB

extension StoreReader {
  /// Returns the rules that appends go through, by number. No position is after the end of the log.
  package func ruleRows() throws(AnnalsError) -> [RuleRow] {
    let rows = try storedRuleRows()
    guard !rows.isEmpty else { return [] }
    let last = try last()
    if let row = rows.first(where: { $0.folded > last }) {
      throw AnnalsError(
        .damaged,
        "table 'meta': the inline projection '\(row.name)' is folded up to position \(row.folded), and the log ends at \(last); run 'annals verify'",
        details: AnnalsError.Details { $0.table = "meta" })
    }
    return rows
  }

  /// Returns the rules that appends go through as stored in `meta`, by number.
  package func storedRuleRows() throws(AnnalsError) -> [RuleRow] {
    var rows: [RuleRow] = []
    for name in try metaNames(beginningWith: RuleRow.prefix) {
      guard let number = UInt16(name.dropFirst(RuleRow.prefix.count)) else {
        throw AnnalsError(
          .damaged, "table 'meta': a row is called '\(name)', which is no number; run 'annals verify'",
          details: AnnalsError.Details { $0.table = "meta" })
      }
      let row = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in
        try RuleRow(number: number, bytes)
      }
      if let row { rows.append(row) }
    }
    guard !rows.isEmpty else { return [] }
    rows.sort { $0.number < $1.number }
    let folded = try foldedInline()
    for index in rows.indices { rows[index].folded = folded[rows[index].number] ?? 0 }
    return rows
  }

  /// Returns the position up to which each inline projection is folded, by number.
  private func foldedInline() throws(AnnalsError) -> [UInt16: UInt64] {
    try row(RuleRow.foldedName, in: tables.meta) { (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      var folded: [UInt16: UInt64] = [:]
      for _ in 0..<(try reader.varint()) {
        let number = try reader.varint(as: UInt16.self)
        folded[number] = try reader.number()
      }
      try reader.finish()
      return folded
    } ?? [:]
  }
}

extension WriteTransaction {
  /// Puts the row of an inline projection.
  package mutating func put(_ row: RuleRow, in meta: Table) throws(AnnalsError) {
    try put(row.encoded(), row.rowName, in: meta)
  }

  /// Puts the positions up to which inline projections are folded.
  package mutating func put(folded rows: [RuleRow], in meta: Table) throws(AnnalsError) {
    try put(RuleRow.folded(rows), RuleRow.foldedName, in: meta)
  }
}
