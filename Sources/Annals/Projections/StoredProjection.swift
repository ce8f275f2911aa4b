internal import AnnalsCoding
internal import AnnalsSchema

/// What a view's file says of the tables that its rows stand in, read from the text of a ``ProjectionOutline``.
struct StoredProjection: Sendable {
  /// One table.
  struct Table: Sendable {
    /// The name of the row type on disk.
    var name: String
    /// What rows look like; `nil` for rows that are stored by name.
    var shape: StoredShape?
    /// The secondary keys in their order.
    var keys: [KeyOutline] = []
    /// The number of the space that rows stand in.
    var space: UInt8
  }

  /// The tables in their order.
  private(set) var tables: [Table] = []

  /// Reads the text; `nil` for what no projection has.
  init?(_ text: String) {
    var next = 0
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard let blank = line.firstIndex(of: UInt8(ascii: " ")), next < ProjectionOutline.limit else {
        return nil
      }
      let word = String(decoding: Array(line[..<blank]), as: UTF8.self)
      let rest = String(decoding: Array(line[line.index(after: blank)...]), as: UTF8.self)
      switch word {
      case "table":
        tables.append(Table(name: rest, space: UInt8(next)))
        next += 1
      case "shape":
        guard !tables.isEmpty else { return nil }
        if rest.isEmpty { break }
        let shape: RecordShape
        do throws(ShapeFailure) { shape = try RecordShape(parsing: rest) } catch { return nil }
        tables[tables.count - 1].shape = StoredShape(shape)
      case "unique", "key":
        guard !tables.isEmpty else { return nil }
        tables[tables.count - 1].keys.append(KeyOutline(name: rest, isUnique: word == "unique"))
        next += 1
      default: return nil
      }
    }
    if tables.isEmpty { return nil }
  }

  /// The table of a name.
  func table(_ name: String) -> Table? {
    tables.first { ExactText($0.name) == ExactText(name) }
  }
}

/// How payloads of rows that an earlier version of a projection has stored become those of the current one.
final class RowConversions: Sendable {
  /// By row type, how it is converted; types that are not in it are stored as they are read.
  private let byType: [ObjectIdentifier: Conversion]

  init(_ byType: [ObjectIdentifier: Conversion]) {
    self.byType = byType
  }

  /// How rows of a type are converted; `nil` where they are stored as they are read.
  func conversion(for type: ObjectIdentifier) -> Conversion? { byType[type] }
}

extension ProjectionOutline {
  /// How rows that another version has stored are read as those of this one; `nil` where a table cannot be.
  ///
  /// Of each table the stored one has the name, a shape that can be read as today's, and today's secondary keys in their order before any others.
  func reading(_ stored: StoredProjection) -> (outline: ProjectionOutline, conversions: RowConversions?)? {
    var spaces: [UInt8] = []
    var conversions: [ObjectIdentifier: Conversion] = [:]
    for table in tables {
      guard let older = stored.table(table.name), Array(older.keys.prefix(table.keys.count)) == table.keys
      else { return nil }
      spaces.append(older.space)
      switch (older.shape, table.shape) {
      case (nil, nil): continue
      case (let from?, let to?) where from == to: continue
      case (let from?, let to?):
        guard let conversion = ShapeComparison(from: from.shape, to: to.shape).conversion else { return nil }
        if !conversion.isSame { conversions[table.type] = conversion }
      default: return nil
      }
    }
    return (
      ProjectionOutline(name: name, version: version, tables: tables, spaces: spaces),
      conversions.isEmpty ? nil : RowConversions(conversions)
    )
  }
}
