internal import AnnalsCoding

/// A shape as numbered types, where a type that contains itself refers to its own number.
struct ShapeGraph: Sendable {
  /// A field, or an associated value of a case.
  struct Field: Sendable {
    let name: String
    let originalName: String?
    /// For a personal field, the name of the field with the id of the person it belongs to.
    let subject: String?
    /// The number of its type.
    let type: Int
    /// The number of the field among all fields of the graph.
    let id: Int
  }
  /// A case of a choice.
  struct Case: Sendable {
    let name: String
    let values: [Field]
    let standsForUnknown: Bool
  }
  /// A type; the numbers are those of other types.
  enum Node: Sendable {
    case scalar
    case optional(Int)
    case list(Int)
    case set(Int)
    case map(Int, Int)
    case record([Field])
    case choice([Case])
    /// A reference to a level that does not exist: a problem of the shape, and no type that a value could
    /// have.
    case nothing
  }
  /// The types; the first is the record itself.
  private(set) var nodes: [Node] = []
  /// The same types as value shapes.
  private(set) var shapes: [ValueShape] = []
  /// The number of fields, including values of cases.
  private(set) var fieldCount = 0

  /// Creates the graph of `shape`.
  init(_ shape: RecordShape) {
    _ = add(.record(shape.fields), in: [])
  }

  /// Returns whether the type is optional.
  func isOptional(_ type: Int) -> Bool {
    if case .optional = nodes[type] { true } else { false }
  }

  /// Returns whether the type is an array.
  func isList(_ type: Int) -> Bool {
    if case .list = nodes[type] { true } else { false }
  }

  /// Returns how many arrays there are around the innermost elements: 2 for an array of arrays.
  func arrays(in type: Int) -> Int {
    if case .list(let element) = nodes[type] { 1 + arrays(in: element) } else { 0 }
  }

  /// Returns the type without its question mark.
  func required(_ type: Int) -> Int {
    if case .optional(let inner) = nodes[type] { inner } else { type }
  }

  /// Returns whether a value of the type may contain another value of it.
  func isRecursive(_ type: Int) -> Bool { leads(type, to: type) }

  private func leads(_ type: Int, to target: Int) -> Bool {
    let inner: [Int] =
      switch nodes[type] {
      case .scalar, .nothing: []
      case .optional(let inner), .list(let inner), .set(let inner): [inner]
      case .map(let key, let value): [key, value]
      case .record(let fields): fields.map(\.type)
      case .choice(let cases): cases.flatMap(\.values).map(\.type)
      }
    // A type has a higher number than those around it, to which alone it can refer back.
    return inner.contains { $0 == target || $0 > type && leads($0, to: target) }
  }

  /// Returns the type as text.
  func text(_ type: Int) -> String { shapes[type].text }

  /// Adds `shape`, nested in the records and choices `enclosing`, outermost first, and returns its number.
  private mutating func add(_ shape: ValueShape, in enclosing: [Int]) -> Int {
    if case .enclosing(let level) = shape, enclosing.indices.contains(enclosing.count - 1 - level) {
      return enclosing[enclosing.count - 1 - level]
    }
    let number = nodes.count
    nodes.append(.scalar)
    shapes.append(shape)
    switch shape {
    case .optional(let inner): nodes[number] = .optional(add(inner, in: enclosing))
    case .list(let inner): nodes[number] = .list(add(inner, in: enclosing))
    case .set(let inner): nodes[number] = .set(add(inner, in: enclosing))
    case .map(let key, let value):
      let key = add(key, in: enclosing)
      nodes[number] = .map(key, add(value, in: enclosing))
    case .record(let fields): nodes[number] = .record(add(fields, in: enclosing + [number]))
    case .choice(let cases):
      var added: [Case] = []
      for oneCase in cases {
        let values = add(oneCase.values, in: enclosing + [number])
        added.append(Case(name: oneCase.name, values: values, standsForUnknown: oneCase.standsForUnknown))
      }
      nodes[number] = .choice(added)
    case .enclosing: nodes[number] = .nothing
    default: break
    }
    return number
  }

  private mutating func add(_ fields: [FieldShape], in enclosing: [Int]) -> [Field] {
    var added: [Field] = []
    for field in fields {
      let id = fieldCount
      fieldCount += 1
      let type = add(field.shape, in: enclosing)
      added.append(
        Field(
          name: field.name, originalName: field.originalName, subject: field.subject, type: type, id: id))
    }
    return added
  }
}
