/// Finds the column of each property in the table that the entities of a hierarchy share.
///
/// The framework calls the column of a property `Z` and the name in capitals. Where several entities have a
/// property of that name, it numbers the columns in the order of the entities: `ZTITLE`, `ZTITLE1`.
struct ColumnMatch {
  /// A property whose column is wanted.
  struct Property: Hashable {
    let entity: String
    let name: String
  }

  /// The column of each property that has one.
  private(set) var columns: [Property: String] = [:]
  /// The columns that belong to no property, in the order of the table.
  private(set) var others: [String] = []

  /// Matches properties and columns.
  ///
  /// - Parameters:
  ///   - properties: The properties of the hierarchy, each at the topmost entity that has it, in the order of
  ///     the entities.
  ///   - columns: The columns of the table.
  init(_ properties: [Property], _ columns: [String]) {
    let names = Set(columns)
    var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
    var next: [String: Int] = [:]
    for property in properties {
      let base = "Z" + property.name.uppercased()
      // A property called `title1` and the second `title` want the same column: the first one has it.
      var number = next[base] ?? 0
      while true {
        let candidate = number == 0 ? base : "\(base)\(number)"
        guard names.contains(candidate) else { break }
        number += 1
        guard taken.insert(candidate).inserted else { continue }
        self.columns[property] = candidate
        break
      }
      next[base] = number
    }
    others = columns.filter { !taken.contains($0) }
  }

  /// Takes the columns back that were matched to properties called like `property`, in any case.
  ///
  /// - Parameter table: The columns of the table, in their order.
  mutating func forget(_ property: Property, in table: [String]) {
    let wanted = property.name.uppercased()
    columns = columns.filter { $0.key.name.uppercased() != wanted }
    let taken = Set(columns.values)
    others = table.filter { !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) && !taken.contains($0) }
  }
}
