internal import AnnalsCoding
internal import AnnalsShapes

/// Writes the Swift types of shapes, and declares those that have no name of their own.
struct SwiftTypes {
  /// The declarations of values, in the order in which they must be read.
  private(set) var declarations: [[String]] = []
  /// Whether a type has code of its own, so that it cannot be declared from its shape.
  private(set) var hasCode = false
  /// Whether a type of Foundation is used.
  private(set) var usesFoundation = false
  private var taken: Set<String>
  /// The names of the types declared so far.
  private(set) var names: [ValueShape: String] = [:]
  /// The types that are elements of sets or keys of dictionaries, and what is inside them.
  private let hashable: Set<ValueShape>
  /// The names of the records and enums around the next type, the innermost last.
  private var around: [String] = []
  private let access: String
  /// The schema that the types are declared in, as it is written.
  let home: String

  /// Creates a writer of the types in `shapes`, which are declared in the schema `home`; `taken` are names
  /// that no type may get.
  init(_ shapes: [RecordShape], in home: String, access: String, except taken: Set<String>) {
    self.access = access
    self.home = home
    var hashable: Set<ValueShape> = []
    for shape in shapes { ValueShape.record(shape.fields).collectKeys(into: &hashable, isKey: false) }
    self.hashable = hashable
    // Types of the library and the language that fields name.
    self.taken = taken.union([
      "Bool", "Int", "UInt", "Float", "Double", "String", "Data", "Date", "UUID", "URL", "Decimal", "Set",
      "AnyValue", "Attachment", "Event", "Record", "Value", "Field", "Schema",
    ])
  }

  /// Returns the declarations of the fields of the record called `name`, one for each line.
  mutating func fields(_ fields: [FieldShape], ofRecord name: String) -> [String] {
    around.append(name)
    defer { around.removeLast() }
    return properties(fields)
  }

  private mutating func properties(_ fields: [FieldShape]) -> [String] {
    let names = Self.names(of: fields.map(\.name))
    return zip(fields, names).map { field, name in
      let type = type(field.shape, named: field.name)
      var arguments: [String] = []
      if ExactText(name.bare) != ExactText(field.name) { arguments.append(SwiftName.literal(field.name)) }
      let subject = field.subject.flatMap { subject in
        fields.firstIndex { ExactText($0.name) == ExactText(subject) }
      }
      if let subject { arguments += personal(field, of: names[subject]) }
      let mark = arguments.isEmpty ? "" : "@Field(\(arguments.joined(separator: ", "))) "
      return "\(mark)\(access)var \(name.written): \(type)"
    }
  }

  /// Returns the names in Swift of the fields, or the cases, of one type.
  static func names(of names: [String]) -> [SwiftName] {
    names.reduce(into: []) { written, name in
      written.append(SwiftName(name, except: Set(written.map(\.bare))))
    }
  }

  /// Returns the type as it is written, and declares it under a name like `name` if it has none.
  mutating func type(_ shape: ValueShape, named name: String) -> String {
    switch shape {
    case .bool: return "Bool"
    case .integer(.int64): return "Int"
    case .integer(.uint64): return "UInt"
    case .integer(let integer):
      let word = integer.rawValue
      return word.hasPrefix("u") ? "UInt" + word.dropFirst(4) : "Int" + word.dropFirst(3)
    case .float: return "Float"
    case .double: return "Double"
    case .text: return "String"
    case .bytes: return foundation("Data")
    case .date: return foundation("Date")
    case .uuid: return foundation("UUID")
    case .url: return foundation("URL")
    case .decimal: return foundation("Decimal")
    case .any: return "AnyValue"
    case .codable:
      hasCode = true
      return "AnyValue"
    case .optional(let inner): return type(inner, named: name) + "?"
    case .list(let inner): return "[\(type(inner, named: name))]"
    case .set(let inner): return "Set<\(type(inner, named: name))>"
    case .map(let key, let value):
      let key = type(key, named: name + " key")
      return "[\(key): \(type(value, named: name))]"
    case .record(let fields) where fields == Attachment.fields: return "Attachment"
    case .record(let fields): return declare(shape, name, as: "struct") { $0.properties(fields) }
    case .choice(let cases): return declare(shape, name, as: "enum") { $0.cases(cases) }
    case .enclosing(let level):
      return around.indices.contains(around.count - 1 - level) ? around[around.count - 1 - level] : "AnyValue"
    }
  }

  private mutating func foundation(_ name: String) -> String {
    usesFoundation = true
    return name
  }

  /// Declares a struct or enum, unless that has been done, and returns its name.
  private mutating func declare(
    _ shape: ValueShape, _ name: String, as kind: String, _ body: (inout SwiftTypes) -> [String]
  ) -> String {
    if let known = names[shape] { return known }
    let name = SwiftName(name, isType: true, except: taken)
    taken.insert(name.bare)
    // The place of the declaration: before those of the types inside it.
    let place = declarations.count
    declarations.append([])
    around.append(name.written)
    let lines = body(&self)
    around.removeLast()
    // A type that refers to one around it means another type in another place.
    if !shape.refers(beyond: 0) { names[shape] = name.written }
    let indirect = kind == "enum" && shape.refers(beyond: -1) ? "indirect " : ""
    let conformance = hashable.contains(shape) ? ": Hashable" : ""
    let heading = "@Value \(access)\(indirect)\(kind) \(name.written)\(conformance) {"
    declarations[place] = [heading] + lines.map { "  \($0)" } + ["}"]
    return name.written
  }

  private mutating func cases(_ cases: [CaseShape]) -> [String] {
    zip(cases, Self.names(of: cases.map(\.name))).map { oneCase, name in
      let isSame = ExactText(name.bare) == ExactText(oneCase.name)
      let mark =
        (oneCase.standsForUnknown ? "@UnknownCase " : "")
        + (isSame ? "" : "@Field(\(SwiftName.literal(oneCase.name))) ")
      let values = oneCase.values.enumerated().map { number, value in
        let isLabelled = value.name != "_\(number)"
        let type = type(value.shape, named: isLabelled ? "\(oneCase.name) \(value.name)" : oneCase.name)
        return isLabelled ? "\(SwiftName(value.name).written): \(type)" : type
      }
      let held = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
      return "\(mark)case \(name.written)\(held)"
    }
  }
}

extension ValueShape {
  /// Adds this type and those inside it if it is a key, and all that are keys inside it otherwise.
  fileprivate func collectKeys(into keys: inout Set<ValueShape>, isKey: Bool) {
    if isKey { keys.insert(self) }
    switch self {
    case .optional(let inner), .list(let inner): inner.collectKeys(into: &keys, isKey: isKey)
    case .set(let inner): inner.collectKeys(into: &keys, isKey: true)
    case .map(let key, let value):
      key.collectKeys(into: &keys, isKey: true)
      value.collectKeys(into: &keys, isKey: isKey)
    case .record(let fields): for field in fields { field.shape.collectKeys(into: &keys, isKey: isKey) }
    case .choice(let cases):
      for oneCase in cases {
        for value in oneCase.values { value.shape.collectKeys(into: &keys, isKey: isKey) }
      }
    default: break
    }
  }

  /// Returns whether a value inside is of a type that is more than `levels` records and enums around this
  /// one; 0 is the next one, and -1 this one.
  fileprivate func refers(beyond levels: Int) -> Bool {
    func look(_ shape: ValueShape, _ depth: Int) -> Bool {
      switch shape {
      case .enclosing(let distance): distance >= depth + levels
      case .optional(let inner), .list(let inner), .set(let inner): look(inner, depth)
      case .map(let key, let value): look(key, depth) || look(value, depth)
      case .record(let fields): fields.contains { look($0.shape, depth + 1) }
      case .choice(let cases): cases.contains { $0.values.contains { look($0.shape, depth + 1) } }
      default: false
      }
    }
    return look(self, 0)
  }
}
