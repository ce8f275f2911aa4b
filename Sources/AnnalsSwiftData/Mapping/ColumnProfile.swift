internal import Annals

/// What the values of a column have in common, which decides the type of its field.
struct ColumnProfile {
  /// The number of bytes from which on a content is an attachment.
  static let attachmentLimit = 1 << 20
  /// The number of columns that are looked at in one query, which SQLite limits.
  static let batch = 100

  private(set) var hasNull = false
  private(set) var longest: Int64 = 0
  private(set) var isExternal = false

  /// Returns the profile of each column of an entity.
  ///
  /// - Complexity: O(rows · columns); contents are not read.
  static func all(of entity: SourceEntity, in file: SwiftDataFile) throws(AnnalsError) -> [String:
    ColumnProfile]
  {
    let table = SQLiteDatabase.quoted(entity.table)
    var profiles: [String: ColumnProfile] = [:]
    let columns = entity.fields.compactMap { field -> (name: String, isData: Bool, isExternal: Bool?)? in
      if case .column(let name) = field.place { (name, field.type == .data, field.isExternal) } else { nil }
    }
    for start in stride(from: 0, to: columns.count, by: batch) {
      let some = columns[start..<min(start + batch, columns.count)]
      let list = some.map { column in
        let name = SQLiteDatabase.quoted(column.name)
        return column.isData
          ? "count(*) - count(\(name)), max(length(\(name)))" : "count(*) - count(\(name)), 0"
      }
      let row =
        try file.database.rows(
          "SELECT \(list.joined(separator: ", ")) FROM \(table) WHERE Z_ENT = ?", [.integer(entity.number)]
        ).first ?? []
      for (index, column) in some.enumerated() {
        var profile = ColumnProfile()
        profile.hasNull = (row[index * 2].integer ?? 0) > 0
        profile.longest = row[index * 2 + 1].integer ?? 0
        if column.isData {
          profile.isExternal =
            if let known = column.isExternal { known } else { try isExternal(column.name, entity, file) }
        }
        profiles[column.name] = profile
      }
    }
    return profiles
  }

  /// Whether a column has the framework's external storage, where no model says so.
  ///
  /// Each value of such a column begins with 1 or is a reference, and there is a reference. Without one, the
  /// first byte may be the app's, and nothing is cut off.
  private static func isExternal(
    _ column: String, _ entity: SourceEntity, _ file: SwiftDataFile
  ) throws(AnnalsError) -> Bool {
    let (name, table) = (SQLiteDatabase.quoted(column), SQLiteDatabase.quoted(entity.table))
    var references = 0
    var others = 0
    // The beginning is enough: a reference is shorter.
    try file.database.each(
      "SELECT substr(\(name), 1, 64), length(\(name)) FROM \(table) WHERE Z_ENT = ? AND \(name) IS NOT NULL",
      [.integer(entity.number)]
    ) { row in
      switch row[0].blob.flatMap({ ExternalValue($0) }) {
      case .file where (row[1].integer ?? 0) <= 64: references += 1
      case .content: break
      default: others += 1
      }
    }
    return others == 0 && references > 0
  }
}
