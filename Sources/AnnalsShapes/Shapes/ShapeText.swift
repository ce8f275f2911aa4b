internal import AnnalsCoding

/// A writer for the canonical text of a shape.
///
/// A record is `(name: type, …)`, a choice `<case | case(label: type)>`, a list `[type]`, a set `{type}`, a
/// map `[key: value]`. A `?` after a type makes it optional, and `^1` is the record or choice one level out
/// of the innermost. `kilograms(weight): double` is a field that was called `weight` in the previous version.
/// `name: personal(id) text` is encrypted with the key of the person whose id is in the field `id`.
/// A name with other characters than ASCII letters, digits and `_`, or with a digit at its start, is a JSON
/// text.
struct ShapeText {
  /// The text so far.
  private(set) var text = ""

  /// Writes fields in parentheses.
  mutating func fields(_ fields: [FieldShape]) {
    text += "("
    separated(fields, by: ", ") { writer, field in
      writer.name(field.name)
      if let original = field.originalName {
        writer.text += "("
        writer.name(original)
        writer.text += ")"
      }
      writer.text += ": "
      if let subject = field.subject {
        writer.text += "personal("
        writer.name(subject)
        writer.text += ") "
      }
      writer.shape(field.shape)
    }
    text += ")"
  }

  /// Writes the type of a value.
  mutating func shape(_ shape: ValueShape) {
    switch shape {
    case .optional(let inner):
      self.shape(inner)
      text += "?"
    case .list(let element): enclosed("[", "]") { $0.shape(element) }
    case .set(let element): enclosed("{", "}") { $0.shape(element) }
    case .map(let key, let value):
      enclosed("[", "]") { writer in
        writer.shape(key)
        writer.text += ": "
        writer.shape(value)
      }
    case .record(let fields): self.fields(fields)
    case .choice(let cases):
      enclosed("<", ">") { writer in
        writer.separated(cases, by: " | ") { writer, oneCase in
          writer.name(oneCase.name)
          if !oneCase.values.isEmpty { writer.fields(oneCase.values) }
        }
      }
    case .enclosing(let level): text += "^\(level)"
    case .integer(let integer): text += integer.rawValue
    default: text += shape.word ?? ""
    }
  }

  private mutating func enclosed(_ open: String, _ close: String, _ write: (inout ShapeText) -> Void) {
    text += open
    write(&self)
    text += close
  }

  private mutating func separated<Part>(
    _ parts: [Part], by separator: String, _ write: (inout ShapeText, Part) -> Void
  ) {
    for (index, part) in parts.enumerated() {
      if index > 0 { text += separator }
      write(&self, part)
    }
  }

  private mutating func name(_ name: String) {
    guard !Self.isPlain(name) else {
      text += name
      return
    }
    text += "\""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\u{0}"..<" ", "\u{7f}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  /// Returns whether `name` needs no quotation marks in a text.
  static func isPlain(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy(isPlain)
  }

  /// Returns whether `byte` may occur in a name without quotation marks.
  static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: true
    default: false
    }
  }
}

extension ValueShape {
  /// The types that are written as a word, except whole numbers.
  static let words: [(word: String, shape: ValueShape)] = [
    ("bool", .bool), ("float", .float), ("double", .double), ("text", .text), ("bytes", .bytes),
    ("date", .date),
    ("uuid", .uuid), ("url", .url), ("decimal", .decimal), ("codable", .codable),
    ("any", .any),
  ]

  /// The word for the type; `nil` if it is a compound type or a whole number.
  var word: String? {
    switch self {
    case .bool: "bool"
    case .float: "float"
    case .double: "double"
    case .text: "text"
    case .bytes: "bytes"
    case .date: "date"
    case .uuid: "uuid"
    case .url: "url"
    case .decimal: "decimal"
    case .codable: "codable"
    case .any: "any"
    default: nil
    }
  }

  /// The type in the text of a shape.
  package var text: String {
    var writer = ShapeText()
    writer.shape(self)
    return writer.text
  }
}
