internal import AnnalsCoding

/// The matching of each field of a newer record with a field of the older one.
struct FieldMatching {
  /// For each field of the newer record, the number of the older one, or `nil`.
  private(set) var older: [Int?]
  /// The problems of original names: the field's name and the remedy.
  private(set) var problems: [(name: String, description: String)] = []

  init(older: [Int?]) { self.older = older }

  /// Matches fields by name, compared as UTF-8 bytes, and by original name.
  ///
  /// - Parameters:
  ///   - moved: The newer fields that move in from elsewhere.
  ///   - explained: The older fields of which the stage says where they go.
  init(
    _ old: [ShapeGraph.Field], _ new: [ShapeGraph.Field], except moved: Set<Int> = [],
    explained: Set<Int> = []
  ) {
    older = new.map { _ in nil }
    let oldNumbers = Self.numbers(old)
    let newNumbers = Self.numbers(new)
    var taken: Set<Int> = []
    var renamedBefore: Set<Int> = []
    for (number, field) in new.enumerated() where !moved.contains(number) {
      let carried = oldNumbers[ExactText(field.name)]
      // A field with the same original name as before was renamed in an earlier version.
      if let carried,
        Self.areSame(field.originalName, nil) || Self.areSame(field.originalName, old[carried].originalName)
      {
        older[number] = carried
        taken.insert(carried)
        if field.originalName != nil { renamedBefore.insert(number) }
      }
    }
    // A field whose older namesake becomes another one is renamed itself.
    while let renamed = renamedBefore.first(where: { number in
      new.indices.contains { other in
        older[other] == nil && !moved.contains(other)
          && Self.areSame(new[other].originalName, new[number].name)
      }
    }) {
      renamedBefore.remove(renamed)
      if let same = older[renamed] { taken.remove(same) }
      older[renamed] = nil
    }
    if !Self.areSame(old, new) { mustBeClear(renamedBefore, old, new, explained) }
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

  /// Reports each original name that may be of an earlier version, or mean a field that had the name since.
  ///
  /// - Parameters:
  ///   - renamedBefore: The fields with the same original name as before. They are matched by name.
  ///   - explained: The older fields of which the stage says where they go.
  private mutating func mustBeClear(
    _ renamedBefore: Set<Int>, _ old: [ShapeGraph.Field], _ new: [ShapeGraph.Field], _ explained: Set<Int>
  ) {
    var unclear = renamedBefore
    var explained = explained
    for (number, field) in new.enumerated() where !renamedBefore.contains(number) {
      if let same = older[number] { explained.insert(same) }
      let meant = field.originalName.flatMap { name in
        old.firstIndex { ExactText($0.name) == ExactText(name) }
      }
      if let meant { explained.insert(meant) }
    }
    // A field that is clear keeps its name, which explains the original name of another one.
    while let clear = unclear.first(where: { number in
      let name = new[number].originalName ?? ""
      let meant = old.firstIndex { ExactText($0.name) == ExactText(name) }
      return meant.map { $0 == older[number] || explained.contains($0) } ?? true
    }) {
      unclear.remove(clear)
      if let same = older[clear] { explained.insert(same) }
    }
    for number in unclear.sorted() {
      let (field, name) = (new[number], new[number].originalName ?? "")
      report(
        field,
        "`\(field.name)` had it in the older version too, which also has a field `\(name)`: remove the original name if the field keeps its value, and write a rule if it takes that of `\(name)`"
      )
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

  /// Whether two records have the same names in the same order, as one has that a version declares again.
  private static func areSame(_ old: [ShapeGraph.Field], _ new: [ShapeGraph.Field]) -> Bool {
    old.count == new.count
      && zip(old, new).allSatisfy { old, new in
        ExactText(old.name) == ExactText(new.name) && areSame(old.originalName, new.originalName)
      }
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
