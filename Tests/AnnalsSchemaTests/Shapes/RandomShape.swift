extension RecordShape {
  /// A random shape without problems.
  static func random(using generator: inout SeededGenerator, depth: Int = 3) -> RecordShape {
    RecordShape(ValueShape.randomFields(using: &generator, depth: depth, levels: 1))
  }
}

extension ValueShape {
  private static let names = [
    "title", "reps", "a", "b", "_x9", "two words", "e\u{301}", "\u{fc}", "quote\"", "", "7up", "\u{1}",
    "notes", "at",
  ]
  private static let leaves: [ValueShape] =
    [.bool, .float, .double, .text, .bytes, .date, .uuid, .url, .decimal, .codable, .any]
    + IntegerShape.allCases.map { .integer($0) }

  /// Fields with unique names; `levels` is the number of records and choices around them.
  static func randomFields(using generator: inout SeededGenerator, depth: Int, levels: Int) -> [FieldShape] {
    let names = names.shuffled(using: &generator).prefix(Int.random(in: 0...6, using: &generator))
    return names.map { name in
      FieldShape(
        name, originalName: Int.random(in: 0..<8, using: &generator) == 0 ? "old \(name)" : nil,
        random(using: &generator, depth: depth, levels: levels))
    }
  }

  /// A random type inside `levels` records and choices.
  static func random(using generator: inout SeededGenerator, depth: Int, levels: Int) -> ValueShape {
    guard depth > 0 else { return leaves.randomElement(using: &generator) ?? .bool }
    func inner(_ generator: inout SeededGenerator) -> ValueShape {
      random(using: &generator, depth: depth - 1, levels: levels)
    }
    switch Int.random(in: 0..<14, using: &generator) {
    case 0, 1:
      let wrapped = inner(&generator)
      if case .optional = wrapped { return wrapped }
      return .optional(wrapped)
    case 2: return .list(inner(&generator))
    case 3: return .set(inner(&generator))
    case 4: return .map(.text, inner(&generator))
    case 5: return .map(inner(&generator), inner(&generator))
    case 6: return .record(randomFields(using: &generator, depth: depth - 1, levels: levels + 1))
    case 7:
      let count = Int.random(in: 1...4, using: &generator)
      return .choice(
        names.shuffled(using: &generator).prefix(count).enumerated().map { index, name in
          CaseShape(
            name,
            index == 0 || Bool.random(using: &generator)
              ? [] : randomFields(using: &generator, depth: depth - 1, levels: levels + 1))
        })
    case 8: return .optional(.enclosing(Int.random(in: 0..<levels, using: &generator)))
    case 9: return .list(.enclosing(Int.random(in: 0..<levels, using: &generator)))
    default: return leaves.randomElement(using: &generator) ?? .bool
    }
  }
}
