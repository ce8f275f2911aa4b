internal import Annals

/// An entity of a mapping with the entity of the file that it names.
struct MappedEntity {
  let mapping: SwiftDataMapping.Entity
  let source: SourceEntity
  /// The fields with a column, in the order in which they are selected.
  let columns: [SwiftDataMapping.Field]
  /// The fields with a table of pairs.
  let joins: [(field: SwiftDataMapping.Field, join: JoinTable)]

  /// Finds the entity and its columns.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` for a name that the file does not have.
  init(_ mapping: SwiftDataMapping.Entity, in file: SwiftDataFile) throws(AnnalsError) {
    guard let source = file.entities.first(where: { $0.name == mapping.entity }) else {
      let names = file.entities.map { "'\($0.name)'" }.joined(separator: ", ")
      throw AnnalsError(
        .malformed,
        "the mapping has the entity '\(mapping.entity)', and '\(file.name)' has only \(names); if the app has "
          + "renamed it, change 'entity' and keep 'stream' and the names of the events")
    }
    var columns: [SwiftDataMapping.Field] = []
    var joins: [(field: SwiftDataMapping.Field, join: JoinTable)] = []
    for field in mapping.fields {
      if let join = file.tables.joins.first(where: { $0.table == field.column }) {
        guard field.type == .references else { throw Self.wrongType(field, mapping, "[Int]") }
        joins.append((field, join))
      } else {
        guard file.tables.has(source.table, field.column) else {
          throw AnnalsError(
            .malformed,
            "the mapping has the column '\(field.column)' of the entity '\(mapping.entity)', and the file has no "
              + "such column; remove the field from the mapping, or propose a mapping again")
        }
        guard field.type != .references else { throw Self.wrongType(field, mapping, "the column's type") }
        columns.append(field)
      }
    }
    self.mapping = mapping
    self.source = source
    self.columns = columns
    self.joins = joins
  }

  private static func wrongType(
    _ field: SwiftDataMapping.Field, _ entity: SwiftDataMapping.Entity, _ right: String
  ) -> AnnalsError {
    AnnalsError(
      .malformed,
      "the mapping has the type \(field.type.rawValue) for '\(field.column)' of the entity '\(entity.entity)'; "
        + "write \(right)")
  }

  /// The name of the stream of a row.
  func stream(of key: Int64) -> StreamName { StreamName("\(mapping.stream)\(key)") }

  /// The query for the rows: the primary key and the columns.
  func query(_ condition: String = "") -> String {
    let list = (["Z_PK"] + columns.map { SQLiteDatabase.quoted($0.column) }).joined(separator: ", ")
    return "SELECT \(list) FROM \(SQLiteDatabase.quoted(source.table)) WHERE Z_ENT = ? \(condition)"
  }
}

/// A row of an entity, read and not converted yet.
struct SourceRow {
  let key: Int64
  let values: [SQLiteValue]
  /// The primary keys of each many-to-many relationship.
  let references: [[Int64]]
  /// The hash of each content that is in a file of its own; `nil` for others.
  let contents: [[UInt8]?]
  /// The hash of all values.
  let digest: [UInt8]

  /// Creates a row from the columns of ``MappedEntity/query(_:)``.
  init(_ row: [SQLiteValue], _ entity: MappedEntity, in file: SwiftDataFile) throws(AnnalsError) {
    guard let key = row[0].integer else {
      throw AnnalsError(
        .damaged,
        "'\(file.name)' is damaged: the table \(entity.source.table) has a primary key of the kind "
          + "'\(row[0].kind)'")
    }
    self.key = key
    values = Array(row.dropFirst())
    var references: [[Int64]] = []
    for (_, join) in entity.joins {
      let other = SQLiteDatabase.quoted(join.otherColumn)
      let order = join.orderColumn.map { "\(SQLiteDatabase.quoted($0)), " } ?? ""
      var keys: [Int64] = []
      try file.database.each(
        "SELECT \(other) FROM \(SQLiteDatabase.quoted(join.table)) "
          + "WHERE \(SQLiteDatabase.quoted(join.ownerColumn)) = ? ORDER BY \(order)\(other)",
        [.integer(key)]
      ) { pair throws(AnnalsError) in
        guard let other = pair[0].integer else {
          throw AnnalsError(
            .damaged,
            "'\(file.name)' is damaged: the table \(join.table) has a key of the kind '\(pair[0].kind)' "
              + "for row \(key) of '\(entity.mapping.entity)'")
        }
        keys.append(other)
      }
      references.append(keys)
    }
    self.references = references
    var digest = RowDigest()
    var contents: [[UInt8]?] = []
    for (field, value) in zip(entity.columns, values) {
      let content = try Self.contentHash(value, field, key, entity, file)
      contents.append(content)
      digest.add(field.column, value, content: content)
    }
    for ((field, _), keys) in zip(entity.joins, references) { digest.add(field.column, keys) }
    self.contents = contents
    self.digest = digest.bytes
  }

  private static func contentHash(
    _ value: SQLiteValue, _ field: SwiftDataMapping.Field, _ key: Int64, _ entity: MappedEntity,
    _ file: SwiftDataFile
  ) throws(AnnalsError) -> [UInt8]? {
    guard field.external == true, case .blob(let bytes) = value,
      case .file(let name)? = ExternalValue(bytes)
    else { return nil }
    var hash = SHA256()
    let input = try file.externalInput(name, field, key, entity)
    while let bytes = try input.next() { hash.update(bytes.span) }
    return hash.finalize()
  }
}

extension SwiftDataFile {
  /// Opens the file of an external content.
  ///
  /// - Throws: ``AnnalsError`` with code `incomplete` if it is missing.
  func externalInput(
    _ name: String, _ field: SwiftDataMapping.Field, _ key: Int64, _ entity: MappedEntity
  ) throws(AnnalsError) -> InputBytes {
    do throws(AnnalsError) {
      return try InputBytes(external.path(of: name), name)
    } catch {
      guard error.code == .incomplete else { throw error }
      throw AnnalsError(
        .incomplete,
        "the content of '\(field.field)' in row \(key) of '\(entity.mapping.entity)' is missing: there is no file "
          + "'\(name)' in the folder of external contents next to '\(self.name)'; copy the folder "
          + "together with the file, or remove the field from the mapping")
    }
  }
}
