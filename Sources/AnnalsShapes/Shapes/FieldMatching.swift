internal import AnnalsCoding

/// The matching of each field of a newer record with a field of the older one.
struct FieldMatching {
  /// For each field of the newer record, the number of the older one, or `nil`.
  private(set) var older: [Int?]
  /// The problems of original names: the field's name and the remedy.
  private(set) var problems: [(name: String, description: String)] = []

  /// Matches fields by name, compared as UTF-8 bytes, and by original name, except those that move in from
  /// elsewhere.
  init(_ old: [ShapeGraph.Field], _ new: [ShapeGraph.Field], except moved: Set<Int> = []) {
    older = new.map { _ in nil }
    let oldNumbers = Self.numbers(old)
    let newNumbers = Self.numbers(new)
    var taken: Set<Int> = []
    for (number, field) in new.enumerated() where !moved.contains(number) {
      let carried = oldNumbers[ExactText(field.name)]
      // A field with the same original name as before was renamed in an earlier version.
      if let carried,
        Self.areSame(field.originalName, nil) || Self.areSame(field.originalName, old[carried].originalName)
      {
        older[number] = carried
        taken.insert(carried)
      }
    }
    for (number, field) in new.enumerated() where older[number] == nil && !moved.contains(number) {
      guard let original = field.originalName else { continue }
      guard let found = oldNumbers[ExactText(original)] else {
        report(field, "the older version has no field `\(original)`: correct or remove the original name")
        older[number] = oldNumbers[ExactText(field.name)].flatMap { taken.insert($0).inserted ? $0 : nil }
        continue
      }
      if taken.contains(found), newNumbers[ExactText(original)].flatMap({ older[$0] }) == found {
        report(
          field, "`\(original)` still exists under its own name: correct or remove the original name")
      } else if !taken.insert(found).inserted {
        report(field, "another field has the original name `\(original)` too: keep one of the two")
      } else {
        older[number] = found
      }
    }
  }

  private mutating func report(_ field: ShapeGraph.Field, _ description: String) {
    problems.append((field.name, "wrong original name `\(field.originalName ?? "")`: \(description)"))
  }

  /// Returns the number of the first field with each name.
  static func numbers(_ fields: [ShapeGraph.Field]) -> [ExactText: Int] {
    Dictionary(
      fields.enumerated().map { (ExactText($0.element.name), $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  private static func areSame(_ left: String?, _ right: String?) -> Bool {
    left.map { ExactText($0) } == right.map { ExactText($0) }
  }
}

extension ShapeGraph.Field {
  /// Returns the number of the field of `fields` from which this one, moved into or out of a record, came.
  func number(in fields: [ExactText: Int]) -> Int? {
    originalName.flatMap { fields[ExactText($0)] } ?? fields[ExactText(name)]
  }
}
