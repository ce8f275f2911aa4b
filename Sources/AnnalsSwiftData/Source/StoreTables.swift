internal import Annals

/// The tables of a file by name, with their columns.
struct StoreTables {
  /// A column of a table.
  struct Column {
    let name: String
    let declaration: String
  }

  /// The names of all tables, sorted.
  let names: [String]
  /// The tables of many-to-many relationships.
  let joins: [JoinTable]
  private let columns: [String: [Column]]

  /// Reads the tables.
  ///
  /// - Throws: ``AnnalsError`` with code `notAStore` if it is a file of another program.
  init(_ database: SQLiteDatabase) throws(AnnalsError) {
    var columns: [String: [Column]] = [:]
    // Views and virtual tables have no place in such a file, and reading them would run code of the file.
    let rows = try database.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")
    for row in rows {
      guard let name = row.first?.text else { continue }
      columns[name] = try database.rows("SELECT name, type FROM pragma_table_info(?)", [.text(name)]).map {
        Column(name: $0[0].text ?? "", declaration: $0[1].text ?? "")
      }
    }
    names = columns.keys.sorted()
    self.columns = columns
    joins = names.compactMap { name in
      JoinTable(table: name, columns: columns[name]?.map(\.name) ?? [])
    }
    for needed in ["Z_METADATA", "Z_PRIMARYKEY"] where columns[needed] == nil {
      let found = names.isEmpty ? "it has no tables" : "it has \(names.prefix(8).joined(separator: ", "))"
      throw AnnalsError(
        .notAStore,
        "'\(database.name)' is a SQLite file, but no store of SwiftData or Core Data: it has no table "
          + "\(needed); \(found)")
    }
  }

  /// The columns of a table; empty if there is no such table.
  func columns(of table: String) -> [Column] { columns[table] ?? [] }

  /// Returns whether a table has a column.
  func has(_ table: String, _ column: String) -> Bool {
    columns(of: table).contains { $0.name == column }
  }

  /// Returns the table of the entity called `name`, which has its name in capitals.
  func table(ofEntity name: String) -> String? {
    let wanted = "Z" + name
    if columns[wanted.uppercased()] != nil { return wanted.uppercased() }
    return names.first { $0.lowercased() == wanted.lowercased() && !$0.hasPrefix("Z_") }
  }

}
