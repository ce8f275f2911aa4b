internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes

/// The description of a projection without its types. It is stored with the rows and compared when the
/// projection is opened.
struct ProjectionOutline: Sendable {
  /// The name by which a store knows the projection.
  let name: String
  /// The version of the fold.
  let version: Int
  /// The tables in their order.
  let tables: [TableOutline]
  /// The number of the space that holds the rows of each table. The spaces of its secondary keys follow.
  let spaces: [UInt8]
  /// The text that is compared when a program opens the view: one line for each table and key.
  let text: String

  init(name: String, version: Int, tables: [TableOutline], spaces: [UInt8]) {
    self.name = name
    self.version = version
    self.tables = tables
    self.spaces = spaces
    text = Self.text(of: tables)
  }

  init<P: Projection>(_ projection: P.Type) throws(AnnalsError) {
    name = P.name
    version = P.version
    tables = P.tables.map(\.outline)
    let problems = Self.problems(name: name, version: version, tables)
    guard problems.isEmpty else {
      throw AnnalsError(
        .invalidPlan,
        "the projection \(projection) does not hold together:\(problems.map { "\n- \($0)" }.joined())")
    }
    var next = 0
    var spaces: [UInt8] = []
    for table in tables {
      spaces.append(UInt8(next))
      next += 1 + table.keys.count
    }
    self.spaces = spaces
    text = Self.text(of: tables)
  }

  /// The most spaces a projection may have: one for each table and each secondary key.
  static let limit = 200

  private static func problems(name: String, version: Int, _ tables: [TableOutline]) -> [String] {
    var problems: [String] = []
    do throws(AnnalsError) { try NameRule.check(name, role: "projection") } catch {
      problems.append(error.message)
    }
    if version < 1 { problems.append("its version is \(version): the first one is 1") }
    if tables.isEmpty { problems.append("it has no table: name its row types in 'tables'") }
    let count = tables.reduce(0) { $0 + 1 + $1.keys.count }
    if count > limit { problems.append("it has \(count) tables and secondary keys: \(limit) at most") }
    for (index, table) in tables.enumerated() {
      for name in [table.name] + table.keys.map(\.name) {
        do throws(AnnalsError) { try NameRule.check(name, role: "table or key") } catch {
          problems.append(error.message)
        }
        // The text in the file has one line for each table.
        if name.utf8.contains(UInt8(ascii: "\n")) { problems.append("the name '\(name)' has a line feed") }
      }
      if tables[..<index].contains(where: {
        $0.type == table.type || ExactText($0.name) == ExactText(table.name)
      }) {
        problems.append("two tables are called '\(table.name)': give one row type another 'recordName'")
      }
      for (number, key) in table.keys.enumerated()
      where table.keys[..<number].contains(where: { ExactText($0.name) == ExactText(key.name) }) {
        problems.append("rows of '\(table.name)' have two keys called '\(key.name)'")
      }
      if let shape = table.shape?.shape {
        problems += shape.problems().map { "rows of '\(table.name)': \($0)" }
      }
    }
    return problems
  }

  /// Returns the number of the table for a row type; `nil` if the projection has no such table.
  func table(of type: ObjectIdentifier) -> Int? {
    tables.firstIndex { $0.type == type }
  }

  private static func text(of tables: [TableOutline]) -> String {
    var lines: [String] = []
    for table in tables {
      lines.append("table \(table.name)")
      lines.append("shape \(table.shape?.text ?? "")")
      for key in table.keys { lines.append("\(key.isUnique ? "unique" : "key") \(key.name)") }
    }
    return lines.joined(separator: "\n")
  }
}

/// The description of a table, without its row type.
struct TableOutline: Sendable {
  /// The row type.
  let type: ObjectIdentifier
  /// The name of the row type on disk.
  let name: String
  /// The shape of the rows.
  let shape: StoredShape?
  /// The secondary keys in their order.
  let keys: [KeyOutline]
}

/// The description of a secondary key, without its type.
package struct KeyOutline: Hashable, Sendable {
  /// The name of the key on disk.
  let name: String
  /// Whether the key must be unique among rows.
  let isUnique: Bool
}
