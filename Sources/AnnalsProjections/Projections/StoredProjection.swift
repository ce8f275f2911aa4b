internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes

/// The tables that a view's file declares for its rows, parsed from the text of a ``ProjectionOutline``.
package struct StoredProjection: Sendable {
  /// One table.
  package struct Table: Sendable {
    /// The name of the row type on disk.
    var name: String
    /// The shape of the rows; `nil` for rows that are stored by name.
    var shape: StoredShape?
    /// The secondary keys in their order.
    package var keys: [KeyOutline] = []
    /// The number of the space that holds the rows.
    package var space: UInt8
  }

  /// The tables in their order.
  package private(set) var tables: [Table] = []

  /// Parses the text; `nil` if no projection could have written it.
  package init?(_ text: String) {
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

  /// Returns the table with a name.
  func table(_ name: String) -> Table? {
    tables.first { ExactText($0.name) == ExactText(name) }
  }
}

/// The conversions of row payloads from an earlier version of a projection to the current one.
final class RowConversions: Sendable {
  /// The conversion for each row type. Types without one are stored as they are read.
  private let byType: [ObjectIdentifier: Conversion]

  init(_ byType: [ObjectIdentifier: Conversion]) {
    self.byType = byType
  }

  /// Returns the conversion for a row type; `nil` if rows are stored as they are read.
  func conversion(for type: ObjectIdentifier) -> Conversion? { byType[type] }
}

extension ProjectionOutline {
  /// Plans how rows stored by another version are read as rows of this one. Returns `nil` if a table cannot
  /// be read.
  ///
  /// A stored table must have the same name and a shape that can be read as the current one. Its secondary
  /// keys must begin with the current ones, in their order.
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
