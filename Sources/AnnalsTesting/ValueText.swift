import Annals

/// The text of a stored value, with the names of its fields on disk, such as `SetLogged(exercise: "Squat",
/// kilograms: 80.0)`.
///
/// The text of one payload is the same in every process; another payload of the same shape has another text.
struct ValueText {
  /// The fields and cases around the value being described, the innermost last, as
  /// ``ValueShape/enclosing(_:)`` counts them.
  private var around: [ValueShape] = []
  private var text = ""

  /// Makes the text of `form`; its bytes if they do not fit its shape.
  static func text(of form: StoredForm) -> String {
    let value: CBOR
    do throws(CodingFailure) { value = try CBOR(payload: form.payload) } catch {
      return "\(form.type)<\(form.payload.hex)>"
    }
    var writer = ValueText()
    if let shape = form.shape {
      writer.describe(value, as: .record(shape.fields))
    } else {
      writer.describe(value, as: .codable)
    }
    return form.type + writer.text
  }

  private mutating func describe(_ value: CBOR, as shape: ValueShape) {
    switch (shape, value) {
    case (.optional(let wrapped), let value) where value != .null: describe(value, as: wrapped)
    case (.record(let fields), .array(let values)) where fields.count == values.count:
      around.append(shape)
      list("(", zip(fields, values), ")") { writer, pair in
        writer.text += "\(pair.0.name): "
        writer.describe(pair.1, as: pair.0.shape)
      }
      around.removeLast()
    case (.choice(let cases), _):
      around.append(shape)
      describe(value, among: cases)
      around.removeLast()
    case (.list(let element), .array(let values)), (.set(let element), .array(let values)):
      list("[", values, "]") { $0.describe($1, as: element) }
    case (.map(let key, let element), .array(let pairs)):
      list("[", pairs, "]") { writer, pair in
        let pair = pair.array ?? []
        writer.list("", zip([key, element], pair), "", separator: ": ") { $0.describe($1.1, as: $1.0) }
      }
    case (.map(_, let element), .map(let pairs)):
      list("[", pairs, "]") { writer, pair in
        writer.describe(pair.key, as: .text)
        writer.text += ": "
        writer.describe(pair.value, as: element)
      }
    case (.enclosing(let levels), _) where around.indices.contains(around.count - 1 - levels):
      let outer = around
      let index = around.count - 1 - levels
      around.removeSubrange(index...)
      describe(value, as: outer[index])
      around = outer
    default: plain(value)
    }
  }

  /// Describes a value of one of several cases.
  private mutating func describe(_ value: CBOR, among cases: [CaseShape]) {
    let parts = value.array ?? [value]
    guard let number = parts.first?.integer, cases.indices.contains(number) else { return plain(value) }
    text += ".\(cases[number].name)"
    let values = parts.dropFirst()
    guard !values.isEmpty else { return }
    list("(", zip(cases[number].values, values), ")") { writer, pair in
      writer.text += "\(pair.0.name): "
      writer.describe(pair.1, as: pair.0.shape)
    }
  }

  /// Describes a value by its own content.
  private mutating func plain(_ value: CBOR) {
    switch value {
    case .unsigned(let number): text += "\(number)"
    // The value is -1 - n. It does not fit an Int64 if n is Int64's maximum or larger.
    case .negative(let number): text += Int64(exactly: number).map { "\(-1 - $0)" } ?? "-1-\(number)"
    case .bytes(let bytes): text += "<\(bytes.hex)>"
    case .text(let string): text += string.debugDescription
    case .array(let values): list("[", values, "]") { $0.plain($1) }
    case .map(let pairs):
      list("{", pairs, "}") { writer, pair in
        writer.plain(pair.key)
        writer.text += ": "
        writer.plain(pair.value)
      }
    case .bool(let flag): text += "\(flag)"
    case .null: text += "nil"
    case .double(let number):
      // There are many NaN values, and only one has a name.
      text += number.isNaN ? "nan:\(String(number.bitPattern, radix: 16))" : "\(number)"
    // No payload contains these.
    case .tagged, .undefined, .simple: text += "\(value)"
    }
  }

  private mutating func list<Element>(
    _ opening: String, _ elements: some Sequence<Element>, _ closing: String, separator: String = ", ",
    _ body: (inout ValueText, Element) -> Void
  ) {
    text += opening
    var isFirst = true
    for element in elements {
      if !isFirst { text += separator }
      isFirst = false
      body(&self, element)
    }
    text += closing
  }
}

extension Collection<UInt8> {
  /// The bytes as pairs of hexadecimal digits.
  var hex: String {
    var text = ""
    for byte in self {
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }
}
