/// An entity of a file: its rows, and where their values are.
struct SourceEntity: Sendable, Equatable {
  let name: String
  /// The number of the entity in the column Z_ENT.
  let number: Int64
  let superentity: String?
  /// The topmost entity of the hierarchy, which gives the table its name.
  let root: String
  let table: String
  let rows: Int
  let fields: [SourceField]
  /// The to-many relationships whose other side has the reference.
  let inverses: [ManagedModel.Relationship]
}

/// A value that the rows of an entity have.
struct SourceField: Sendable, Equatable {
  /// Where the value is.
  enum Place: Sendable, Equatable {
    /// A column of the entity's table.
    case column(String)
    /// A table of pairs of primary keys.
    case join(JoinTable)
  }

  /// The name of the property, or one made from the name of the column.
  var name: String
  let place: Place
  let type: SwiftDataType
  /// Whether the model allows the value to be missing. Without a model, it does.
  let isOptional: Bool
  /// Whether large values are in files of their own; `nil` if no model says so.
  var isExternal: Bool?
  /// The entity that a reference leads to, if the model says so.
  let destination: String?

  /// The name that the mapping has for the place.
  var source: String {
    switch place {
    case .column(let name): name
    case .join(let join): join.table
    }
  }
}

/// The table of a many-to-many relationship.
struct JoinTable: Sendable, Equatable {
  let table: String
  /// The number of the entity that the relationship belongs to.
  let owner: Int64
  /// The name of the relationship in capitals.
  let relationship: String
  /// The column with the primary key of the owner.
  let ownerColumn: String
  /// The column with the primary key of the other row.
  let otherColumn: String
  /// The column with the order of the others, if the relationship is ordered.
  let orderColumn: String?

  /// Creates the description of a table from its columns; `nil` if it is no table of pairs.
  init?(table: String, columns: [String]) {
    guard let (owner, relationship) = Self.parts(table, prefix: "Z_") else { return nil }
    let keys = columns.filter { $0 == "REFLEXIVE" || Self.parts($0, prefix: "Z_") != nil }
    guard keys.count == 2 else { return nil }
    guard let other = Self.other(of: keys, owner, relationship), let own = keys.first(where: { $0 != other })
    else { return nil }
    self.table = table
    self.owner = owner
    self.relationship = relationship
    ownerColumn = own
    otherColumn = other
    let suffix = other.dropFirst(2)
    orderColumn = columns.first { $0 == "Z_FOK_\(suffix)" }
  }

  /// The column with the keys that the relationship leads to: its entity's number and the relationship's
  /// name. The other column has the number of the owner and the name of the inverse.
  private static func other(of keys: [String], _ owner: Int64, _ relationship: String) -> String? {
    let named = keys.filter { parts($0, prefix: "Z_")?.name == relationship }
    switch named.count {
    case 1: return named[0]
    // Both sides have one name, so the entities differ.
    case 2:
      let others = named.filter { parts($0, prefix: "Z_")?.number != owner }
      return others.count == 1 ? others[0] : nil
    // Where both sides are one entity, the framework numbers equal names.
    default:
      return keys.first { column in
        guard let (number, name) = parts(column, prefix: "Z_") else { return false }
        return number == owner && name.hasPrefix(relationship)
      }
    }
  }

  /// The number and the name in texts such as `Z_2TAGS`.
  static func parts(_ text: String, prefix: String) -> (number: Int64, name: String)? {
    guard text.hasPrefix(prefix) else { return nil }
    let rest = text.dropFirst(prefix.count)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    let name = rest.dropFirst(digits.count)
    guard let number = Int64(digits), !name.isEmpty else { return nil }
    return (number, String(name))
  }
}
