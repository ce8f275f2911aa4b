internal import Annals

/// A change of one row that the framework's history has.
struct SourceChange: Sendable, Equatable {
  /// What happened to the row.
  enum Kind: Int64, Sendable {
    case insert, update, delete
  }

  /// The number of the change, which grows with each one.
  let number: Int64
  let kind: Kind
  let entity: Int64
  let key: Int64
  let transaction: Int64
  /// The bits of the changed properties, the highest of each byte first.
  let columns: [UInt8]?
  /// The values of the deleted row that the app has asked to keep.
  let tombstones: [SQLiteValue]

  /// The changed properties, if the bits name properties of the entity.
  func changed(of entity: ManagedModel.Entity?) -> [String]? {
    guard let columns, let entity, entity.superentity == nil else { return nil }
    let names = entity.propertyNames
    var changed: [String] = []
    for index in 0..<(columns.count * 8) where columns[index / 8] & (0x80 >> UInt8(index % 8)) != 0 {
      guard index < names.count else { return nil }
      changed.append(names[index])
    }
    return changed
  }
}

/// A save, which made one or more changes.
struct SourceTransaction: Sendable, Equatable {
  /// Seconds since 2001-01-01T00:00:00Z.
  let time: Double
  let author: String?
}

/// The persistent history of a file.
struct SourceHistory: Sendable {
  let changes: Int
  let transactions: Int
  /// The number of the newest change; 0 without one.
  let last: Int64
  private let tombstones: [String]
  private let hasColumns: Bool
  /// The expression for the author of a save.
  private let author: String

  /// Finds the tables of the history; `nil` if the file has none.
  init?(_ database: SQLiteDatabase, _ tables: StoreTables) throws(AnnalsError) {
    guard tables.names.contains("ACHANGE"), tables.names.contains("ATRANSACTION") else { return nil }
    for (table, columns) in [
      ("ACHANGE", ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]),
      ("ATRANSACTION", ["ZTIMESTAMP"]),
    ] {
      for column in columns where !tables.has(table, column) {
        throw AnnalsError(
          .damaged,
          "'\(database.name)' has a history in an unknown form: the table \(table) has no column \(column)")
      }
    }
    changes = Int(try database.rows("SELECT count(*) FROM ACHANGE").first?.first?.integer ?? 0)
    transactions = Int(try database.rows("SELECT count(*) FROM ATRANSACTION").first?.first?.integer ?? 0)
    last = try database.rows("SELECT max(Z_PK) FROM ACHANGE").first?.first?.integer ?? 0
    hasColumns = tables.has("ACHANGE", "ZCOLUMNS")
    tombstones = tables.columns(of: "ACHANGE").map(\.name).filter { $0.hasPrefix("ZTOMBSTONE") }
      .sorted { ($0.count, $0) < ($1.count, $1) }
    // The name of an author is in the save itself, or in a table of names.
    let own = tables.has("ATRANSACTION", "ZAUTHOR") ? ["ZAUTHOR"] : []
    let isShared = tables.has("ATRANSACTIONSTRING", "ZNAME") && tables.has("ATRANSACTION", "ZAUTHORTS")
    let shared = "(SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.ZAUTHORTS)"
    author = "coalesce(\((own + (isShared ? [shared] : []) + ["NULL", "NULL"]).joined(separator: ", ")))"
  }

  /// Returns the saves by their numbers.
  func saves(_ database: SQLiteDatabase) throws(AnnalsError) -> [Int64: SourceTransaction] {
    var saves: [Int64: SourceTransaction] = [:]
    try database.each("SELECT Z_PK, ZTIMESTAMP, \(author) FROM ATRANSACTION t") { row throws(AnnalsError) in
      let time: Double? =
        switch row[1] {
        case .real(let seconds): seconds
        case .integer(let seconds): Double(seconds)
        default: nil
        }
      guard let number = row[0].integer, let time else {
        throw AnnalsError(
          .damaged, "'\(database.name)' is damaged: a save of its history has the time '\(row[1].kind)'")
      }
      saves[number] = SourceTransaction(time: time, author: row[2].text)
    }
    return saves
  }

  /// Calls `body` with each change, in the order in which they happened.
  func each(
    _ database: SQLiteDatabase, _ body: (SourceChange) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    let columns = ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"]
    let list =
      (columns + [hasColumns ? "ZCOLUMNS" : "NULL"] + tombstones.map(SQLiteDatabase.quoted))
      .joined(separator: ", ")
    try database.each("SELECT \(list) FROM ACHANGE ORDER BY ZTRANSACTIONID, Z_PK") {
      row throws(AnnalsError) in
      guard let number = row[0].integer, let kind = row[1].integer.flatMap(SourceChange.Kind.init),
        let entity = row[2].integer, let key = row[3].integer, let transaction = row[4].integer
      else {
        throw AnnalsError(
          .damaged,
          "'\(database.name)' is damaged: change \(row[0].integer.map(String.init) ?? row[0].kind) of its "
            + "history has the kind '\(row[1].integer.map(String.init) ?? row[1].kind)'; 0, 1 and 2 are known"
        )
      }
      try body(
        SourceChange(
          number: number, kind: kind, entity: entity, key: key, transaction: transaction,
          columns: row[5].blob, tombstones: Array(row[6...])))
    }
  }
}
