import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// Which declared fields of a payload a chain of conversions removes.
struct FieldRemovalTests {
  /// The paths that a chain of shapes removes from a payload of the first one, each with the number of the
  /// shape without the field.
  private func removed(_ value: CBOR, _ shapes: String..., adjustments: [FieldAdjustment] = []) throws
    -> [String]
  {
    let shapes = try shapes.map(Self.shape)
    var conversions: [(version: SchemaVersion, conversion: Conversion)] = []
    for (index, (old, new)) in zip(shapes, shapes.dropFirst()).enumerated() {
      let comparison = ShapeComparison(from: old, to: new, adjustments: adjustments)
      conversions.append(
        (SchemaVersion(UInt32(index) + 2, 0, 0), try #require(comparison.conversion, "\(comparison.changes)"))
      )
    }
    return try Self.removed(value, shapes[0], conversions).map { "\($0.path) \($0.version.major)" }.sorted()
  }

  /// The shape of a text in which `new = old: …` is a field that was called `old` in the version before.
  private static func shape(_ text: String) throws -> RecordShape {
    var originals: [String: String] = [:]
    let plain = text.replacing(/(\w+) = (\w+)/) { match in
      originals[String(match.1)] = String(match.2)
      return String(match.1)
    }
    return RecordShape(
      try RecordShape(parsing: plain).fields.map {
        FieldShape($0.name, originalName: originals[$0.name], $0.shape)
      })
  }

  private struct Found: Hashable {
    let path: String
    let version: SchemaVersion
  }

  /// The fields that conversions remove from a payload, by its shape.
  private static func removed(
    _ value: CBOR, _ shape: RecordShape, _ conversions: [(version: SchemaVersion, conversion: Conversion)]
  ) throws -> [Found] {
    let names = NamedForm(shape)
    guard let removals = FieldRemovals(StoredShape(shape), conversions) else { return [] }
    var named: [UInt8] = []
    let payload = try value.encodedPayload()
    try names.write(payload.span, to: &named)
    return try names.losses(in: named.span, removals, findsUndeclared: false).map { lost in
      Found(
        path: lost.path.map(\.text).joined(separator: "."),
        version: try #require(lost.removedIn, "\(lost.path)"))
    }
  }

  @Test func `a field is removed where it had a value`() throws {
    let (old, new) = ("(a: text, b: text?, c: int64)", "(a: text)")
    #expect(try removed(["x", "y", 1], old, new) == ["b 2", "c 2"])
    #expect(try removed(["x", .null, 1], old, new) == ["c 2"])
    #expect(try removed(["x", "y", 1], old, old) == [])
  }

  @Test func `a field that is renamed, widened or made optional is not removed`() throws {
    #expect(
      try removed(
        ["x", 1, 2], "(a: text, n: int32, m: int32)", "(b = a: text, n: int64, m: int32?)") == [])
  }

  @Test func `the version is the one that removes the field, under any name`() throws {
    #expect(
      try removed(
        ["x", "y", "z"], "(a: text, b: text, c: text)", "(d = a: text, c: text)", "(c: text)") == [
          "a 3", "b 2",
        ])
  }

  @Test func `a field that is added on the way and removed again counts as never stored`() throws {
    #expect(try removed([1], "(a: int64)", "(a: int64, b: text?)", "(a: int64)") == [])
  }

  @Test func `fields are removed inside arrays, dictionaries, cases and optional records`() throws {
    let inner = "(n: int64, x: text?)"
    let value: CBOR = [
      [[1, "x"], [2, .null], [3, "z"]], CBOR.map([CBOR.Pair("k", [1, "x"])]),
      [[1, [7, "x"]]], [1, [1, "x"], "y"], [4, "o"],
    ]
    func shape(_ inner: String, _ held: String) -> String {
      "(list: [\(inner)], map: [text: \(inner)], pairs: [int64: \(inner)], choice: <none | some(inner: \(inner)\(held))>, other: \(inner)?)"
    }
    #expect(
      try removed(value, shape(inner, ", y: text"), shape("(n: int64)", "")) == [
        "choice.some.inner.x 2", "choice.some.y 2", "list.x 2", "list.x 2", "map.x 2", "other.x 2",
        "pairs.x 2",
      ])
  }

  @Test func `a record that goes is removed as a whole, and one that is emptied field by field`() throws {
    #expect(try removed(["x", [1, 2]], "(a: text, r: (n: int64, m: int64))", "(a: text)") == ["r 2"])
    #expect(
      try removed(["x", [1, 2]], "(a: text, r: (n: int64, m: int64))", "(a: text, r: ())") == [
        "r.m 2", "r.n 2",
      ])
  }

  @Test func `a type that contains itself loses a field at every depth`() throws {
    let value: CBOR = ["a", "x", [["b", .null, []], ["c", "y", [["d", "z", []]]]]]
    #expect(
      try removed(
        value, "(name: text, note: text?, children: [^0])", "(name: text, children: [^0])") == [
          "children.children.note 2", "children.note 2", "note 2",
        ])
  }

  /// The fields of a payload that hold a value other than a record, with their paths and positions.
  private static func leaves(
    _ fields: [FieldShape], _ values: [CBOR], path: [String] = [], position: [Int] = []
  ) -> [(path: [String], position: [Int], shape: ValueShape)] {
    var leaves: [(path: [String], position: [Int], shape: ValueShape)] = []
    for (index, (field, value)) in zip(fields, values).enumerated() where value != .null {
      let (path, position) = (path + [field.name], position + [index])
      switch (field.shape, value) {
      case (.record(let inner), .array(let held)), (.optional(.record(let inner)), .array(let held)):
        leaves += Self.leaves(inner, held, path: path, position: position)
      default: leaves.append((path, position, field.shape))
      }
    }
    return leaves
  }

  /// The fields other than records whose values leave no trace in the results of `edits`, with the first
  /// version without a trace.
  ///
  /// A field leaves a trace if another value changes a result. The version is `nil` for a field whose type
  /// has no other value, which proves nothing.
  private func traceless(
    _ values: [CBOR], _ shape: RecordShape, _ edits: [ShapeEdit], using generator: inout SeededGenerator
  ) throws -> [String: SchemaVersion?] {
    func results(_ values: [CBOR]) throws -> [[UInt8]] {
      var fields = values
      return try edits.map { edit in
        fields = edit.apply(fields)
        return try CBOR.array(fields).encodedPayload()
      }
    }
    func put(_ other: CBOR, at position: ArraySlice<Int>, in values: [CBOR]) -> [CBOR] {
      guard let index = position.first else { return values }
      var values = values
      if case .array(let inner) = values[index], position.count > 1 {
        values[index] = .array(put(other, at: position.dropFirst(), in: inner))
      } else {
        values[index] = other
      }
      return values
    }
    let whole = try results(values)
    var found: [String: SchemaVersion?] = [:]
    for leaf in Self.leaves(shape.fields, values) {
      let value = leaf.position.dropFirst().reduce(values[leaf.position[0]]) { value, index in
        if case .array(let inner) = value { inner[index] } else { value }
      }
      var changed: [[[UInt8]]] = []
      for _ in 0..<30 where changed.count < 4 {
        let other = leaf.shape.randomValue(in: [], using: &generator, depth: 3)
        if try other.encodedPayload() != value.encodedPayload() {
          changed.append(try results(put(other, at: leaf.position[...], in: values)))
        }
      }
      let path = leaf.path.joined(separator: ".")
      if changed.isEmpty { found.updateValue(nil, forKey: path) }
      if let first = edits.indices.first(where: { edit in changed.allSatisfy { $0[edit] == whole[edit] } }),
        !changed.isEmpty
      {
        found[path] = SchemaVersion(UInt32(first) + 2, 0, 0)
      }
    }
    return found
  }

  @Test func `the removed fields are those that leave no trace, in generated shapes, changes and payloads`()
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    print("what is removed: seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    var total = 0
    for round in 0..<400 {
      let first = RecordShape(
        RecordShape.random(using: &generator, depth: 2).fields.filter { !$0.shape.text.contains("^") })
      var (last, edits) = (first, [ShapeEdit]())
      var conversions: [(version: SchemaVersion, conversion: Conversion)] = []
      for number in 0..<Int.random(in: 1...4, using: &generator) {
        let edit = ShapeEdit.random(of: last, number: number, using: &generator)
        let comparison = ShapeComparison(from: last, to: edit.shape, adjustments: edit.adjustments)
        conversions.append((SchemaVersion(UInt32(number) + 2, 0, 0), try #require(comparison.conversion)))
        edits.append(edit)
        last = edit.shape
      }
      for _ in 0..<3 {
        let value = first.randomValue(using: &generator)
        guard case .array(let values) = value else { continue }
        let expected = try traceless(values, first, edits, using: &generator)
        // A record may be removed as a whole, with its last field, or field by field.
        let removed = try Self.removed(value, first, conversions)
        let leaves = Self.leaves(first.fields, values).map { $0.path.joined(separator: ".") }
        func isWithin(_ leaf: String, _ removal: Found) -> Bool {
          leaf == removal.path || leaf.hasPrefix(removal.path + ".")
        }
        let place = "seed \(seed), round \(round): \(first.text) → \(edits.map(\.shape.text)) of \(value)"
        for leaf in leaves {
          if let expected = expected[leaf], expected == nil { continue }
          let isRemoved = removed.contains { isWithin(leaf, $0) }
          #expect(isRemoved == (expected[leaf] != nil), "'\(leaf)', \(place)")
          if isRemoved { total += 1 }
        }
        for removal in removed {
          let within = leaves.filter { isWithin($0, removal) }.map { expected[$0] ?? nil }
          guard !within.isEmpty, !within.contains(nil), let last = within.compactMap(\.self).max() else {
            continue
          }
          // A record may outlive its first fields: a version gave it another one, and a later one removed it.
          let isRecord = !leaves.contains(removal.path)
          #expect(
            removal.version == last || isRecord && removal.version > last, "'\(removal.path)', \(place)")
        }
      }
    }
    #expect(total > 50, "seed \(seed)")
  }
}
