internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

extension StoreReader {
  /// Returns the backups that were made of the store, in the order of their times.
  func backups() throws(AnnalsError) -> [BackupRow] {
    var names: [String] = []
    try eachMetaName(beginningWith: BackupRow.prefix) { names.append($0) }
    var rows: [BackupRow] = []
    for name in names {
      let row = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in
        try BackupRow(name: name, bytes)
      }
      guard var row else { continue }
      row.generation = try self.row(row.generationName, in: tables.meta) { (bytes) throws(FormatFailure) in
        try GenerationRow.generation(bytes)
      }
      rows.append(row)
    }
    return rows.sorted { $0.time < $1.time }
  }
}
