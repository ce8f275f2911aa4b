internal import Annals

/// Reads the entities of a file from its tables and, where there is one, its model.
struct SourceEntities {
  /// An entity as the table Z_PRIMARYKEY names it.
  private struct Listed {
    let number: Int64
    let name: String
    let superNumber: Int64
    let largestKey: Int64
  }

  /// The first number of the framework's own entities, such as those of the history.
  private static let firstOwnNumber: Int64 = 16_000

  private let database: SQLiteDatabase
  private let tables: StoreTables
  private let model: ManagedModel?
  private var listed: [Listed] = []

  init(_ database: SQLiteDatabase, _ tables: StoreTables, _ model: ManagedModel?) throws(AnnalsError) {
    self.database = database
    self.tables = tables
    self.model = model
    for row in try database.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") {
      guard let number = row[0].integer, let name = row[1].text, !name.isEmpty else {
        throw damaged("a row of Z_PRIMARYKEY has the number '\(row[0].kind)' and the name '\(row[1].kind)'")
      }
      guard number < Self.firstOwnNumber else { continue }
      listed.append(
        Listed(
          number: number, name: name, superNumber: row[2].integer ?? 0, largestKey: row[3].integer ?? 0))
    }
  }

  private func damaged(_ problem: String) -> AnnalsError {
    AnnalsError(.damaged, "'\(database.name)' is damaged: \(problem); restore it from a backup")
  }

  /// The entities, in the order of their numbers.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` if a table is missing, has rows of an unknown entity, or
  ///   belongs to an entity that leads to no topmost one.
  func all() throws(AnnalsError) -> [SourceEntity] {
    var entities: [SourceEntity] = []
    var reached: Set<Int64> = []
    for root in listed where root.superNumber == 0 {
      let members = try hierarchy(of: root)
      reached.formUnion(members.map(\.number))
      guard let table = tables.table(ofEntity: root.name), tables.has(table, "Z_PK") else {
        // The framework makes no table for an entity of which the model in use has no rows.
        guard members.allSatisfy({ $0.largestKey == 0 }) else {
          throw damaged("there is no table for the entity '\(root.name)'")
        }
        continue
      }
      entities += try read(members, root, table)
    }
    for entity in listed where !reached.contains(entity.number) {
      guard entity.largestKey == 0, tables.table(ofEntity: entity.name) == nil else {
        throw damaged(
          "the entity '\(entity.name)' inherits from the entity \(entity.superNumber), which leads to no "
            + "topmost one")
      }
    }
    return entities.sorted { $0.number < $1.number }
  }

  /// The entity and those that inherit from it, in the order of their numbers.
  private func hierarchy(of root: Listed) throws(AnnalsError) -> [Listed] {
    var members = [root]
    var index = 0
    while index < members.count {
      let parent = members[index]
      members += listed.filter { $0.superNumber == parent.number && $0.number != parent.number }
      index += 1
      guard members.count <= listed.count else {
        throw damaged("the entities of '\(root.name)' form a circle")
      }
    }
    return members.sorted { $0.number < $1.number }
  }

  private func read(_ members: [Listed], _ root: Listed, _ table: String) throws(AnnalsError)
    -> [SourceEntity]
  {
    let quoted = SQLiteDatabase.quoted(table)
    var counts: [Int64: Int] = [:]
    if tables.has(table, "Z_ENT") {
      for row in try database.rows("SELECT Z_ENT, count(*) FROM \(quoted) GROUP BY Z_ENT") {
        guard let number = row[0].integer, members.contains(where: { $0.number == number }) else {
          throw damaged(
            "the table \(table) has \(row[1].integer ?? 0) rows of the unknown entity "
              + "'\(row[0].integer.map(String.init) ?? row[0].kind)'")
        }
        counts[number] = Int(row[1].integer ?? 0)
      }
    } else {
      throw damaged("the table \(table) has no column Z_ENT")
    }
    let columns = tables.columns(of: table)
    let match = try match(members, table, columns.map(\.name))
    var entities: [SourceEntity] = []
    for member in members {
      let parent = listed.first { $0.number == member.superNumber }?.name
      entities.append(
        SourceEntity(
          name: member.name, number: member.number, superentity: parent, root: root.name, table: table,
          rows: counts[member.number] ?? 0,
          fields: try fields(of: member, members, table, columns, match),
          inverses: inverses(of: member)))
    }
    return entities
  }

  /// Matches properties and columns. Names are left out if the rows show that the order is another one.
  private func match(
    _ members: [Listed], _ table: String, _ columns: [String]
  ) throws(AnnalsError) -> ColumnMatch {
    var match = ColumnMatch(properties(of: members), columns)
    guard members.count > 1 else { return match }
    for (property, column) in match.columns.sorted(by: { $0.value < $1.value }) {
      guard match.columns[property] != nil else { continue }
      let numbers = members.filter { line(to: $0).contains { $0.name == property.entity } }.map(\.number)
      let list = numbers.map(String.init).joined(separator: ", ")
      let (table, quoted) = (SQLiteDatabase.quoted(table), SQLiteDatabase.quoted(column))
      // A row of an entity without the property has no value in its column.
      let strangers = try database.rows(
        "SELECT 1 FROM \(table) WHERE \(quoted) IS NOT NULL AND Z_ENT NOT IN (\(list)) LIMIT 1")
      if !strangers.isEmpty { match.forget(property, in: columns) }
    }
    return match
  }

  /// The chain from the topmost entity to `entity`.
  private func line(to entity: Listed) -> [Listed] {
    var line = [entity]
    while let parent = listed.first(where: { $0.number == line[0].superNumber }), line.count <= listed.count {
      line.insert(parent, at: 0)
    }
    return line
  }

  /// The properties with a column, each at the topmost entity that has it.
  private func properties(of members: [Listed]) -> [ColumnMatch.Property] {
    var properties: [ColumnMatch.Property] = []
    for member in members {
      guard let entity = model?.entities[member.name] else { continue }
      let names =
        (entity.attributes.filter { !$0.isTransient }.map(\.name)
        + entity.relationships.filter { !$0.isToMany }.map(\.name)).sorted()
      for name in names {
        let owner = owner(of: name, member)
        let property = ColumnMatch.Property(entity: owner, name: name)
        if !properties.contains(property) { properties.append(property) }
      }
    }
    return properties
  }

  /// The topmost entity of `member`'s line that has the property.
  private func owner(of property: String, _ member: Listed) -> String {
    line(to: member).first { model?.entities[$0.name]?.propertyNames.contains(property) ?? false }?.name
      ?? member.name
  }

  /// The attributes and relationships of an entity, with those that it inherits.
  private func inherited(
    _ member: Listed
  ) -> (attributes: [ManagedModel.Attribute], relationships: [ManagedModel.Relationship]) {
    var attributes: [String: ManagedModel.Attribute] = [:]
    var relationships: [String: ManagedModel.Relationship] = [:]
    for entity in line(to: member).compactMap({ model?.entities[$0.name] }) {
      for attribute in entity.attributes { attributes[attribute.name] = attribute }
      for relationship in entity.relationships { relationships[relationship.name] = relationship }
    }
    return (
      attributes.values.sorted { $0.name < $1.name }, relationships.values.sorted { $0.name < $1.name }
    )
  }

  private func fields(
    of member: Listed, _ members: [Listed], _ table: String, _ columns: [StoreTables.Column],
    _ match: ColumnMatch
  ) throws(AnnalsError) -> [SourceField] {
    let (attributes, relationships) = inherited(member)
    var fields: [SourceField] = []
    for attribute in attributes {
      guard let column = match.columns[.init(entity: owner(of: attribute.name, member), name: attribute.name)]
      else { continue }
      let declared = declaration(of: column, columns)
      let type = SwiftDataType(attribute: attribute.type)?.fitting(declared: declared)
      fields.append(
        SourceField(
          name: attribute.name, place: .column(column), type: type ?? SwiftDataType(declared: declared),
          isOptional: attribute.isOptional, isExternal: attribute.isExternal, destination: nil))
    }
    for relationship in relationships where !relationship.isToMany {
      guard
        let column = match.columns[
          .init(entity: owner(of: relationship.name, member), name: relationship.name)]
      else { continue }
      fields.append(
        SourceField(
          name: relationship.name, place: .column(column), type: .int, isOptional: true,
          destination: relationship.destination))
    }
    for name in match.others where try isUsed(name, table, by: member, among: members) {
      let type = SwiftDataType(declared: declaration(of: name, columns))
      fields.append(other(name, type, relationships))
    }
    let line = line(to: member)
    for join in tables.joins where line.contains(where: { $0.number == join.owner }) {
      let relationship = relationships.first { $0.name.uppercased() == join.relationship && $0.isToMany }
      fields.append(
        SourceField(
          name: relationship?.name ?? join.relationship.lowercased(), place: .join(join), type: .references,
          isOptional: false, destination: relationship?.destination))
    }
    return Self.distinct(fields)
  }

  private func declaration(of name: String, _ columns: [StoreTables.Column]) -> String {
    columns.first { $0.name == name }?.declaration ?? ""
  }

  /// Whether rows of `member` have values in a column that no property of the model explains.
  private func isUsed(
    _ column: String, _ table: String, by member: Listed, among members: [Listed]
  ) throws(AnnalsError) -> Bool {
    // The only entity of a table has all of its columns.
    guard members.count > 1 else { return true }
    let (table, column) = (SQLiteDatabase.quoted(table), SQLiteDatabase.quoted(column))
    return try !database.rows(
      "SELECT 1 FROM \(table) WHERE Z_ENT = ? AND \(column) IS NOT NULL LIMIT 1", [.integer(member.number)]
    ).isEmpty
  }

  /// The field of a column that belongs to no property of the entity.
  private func other(
    _ column: String, _ type: SwiftDataType, _ relationships: [ManagedModel.Relationship]
  ) -> SourceField {
    var name = String(column.hasPrefix("Z") ? column.dropFirst() : column[...]).lowercased()
    var destination: String?
    func relationship(_ capitals: some StringProtocol) -> ManagedModel.Relationship? {
      relationships.first { $0.name.uppercased() == capitals }
    }
    if column.hasPrefix("Z_FOK_"), let relationship = relationship(column.dropFirst(6)) {
      name = relationship.name + "Order"
    } else if let (number, rest) = JoinTable.parts(column, prefix: "Z") {
      if rest.hasPrefix("_"), let relationship = relationship(rest.dropFirst()) {
        // The number of the entity that the reference of this name leads to.
        name = relationship.name + "Entity"
      } else if let owner = listed.first(where: { $0.number == number })?.name,
        let relationship = model?.entities[owner]?.relationships.first(where: { $0.name.uppercased() == rest }
        )
      {
        // The row of another entity that has this one in a to-many relationship without an inverse.
        name =
          owner.prefix(1).lowercased() + owner.dropFirst() + relationship.name.prefix(1).uppercased()
          + relationship.name.dropFirst()
        destination = owner
      }
    }
    return SourceField(
      name: name, place: .column(column), type: type, isOptional: true, destination: destination)
  }

  /// The to-many relationships that have no field here.
  private func inverses(of member: Listed) -> [ManagedModel.Relationship] {
    let joined = Set(tables.joins.filter { $0.owner == member.number }.map(\.relationship))
    return inherited(member).relationships.filter { $0.isToMany && !joined.contains($0.name.uppercased()) }
  }

  /// The fields with a number after each name that another one has already.
  private static func distinct(_ fields: [SourceField]) -> [SourceField] {
    var taken: Set<String> = []
    return fields.map { field in
      var field = field
      let name = field.name
      var number = 2
      while !taken.insert(field.name).inserted {
        field.name = "\(name)\(number)"
        number += 1
      }
      return field
    }
  }
}
