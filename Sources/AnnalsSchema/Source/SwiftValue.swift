internal import AnnalsCoding
internal import AnnalsShapes

// Values are written with the schema in the names of types, because the macro repeats them outside it.
extension SwiftTypes {
  /// Returns what `@Field` says of a personal field, with the name of the property with the person's id.
  func personal(_ field: FieldShape, of subject: SwiftName) -> [String] {
    ["personal: \(SwiftName.literal(subject.bare))"] + (erased(field).map { ["erased: \($0)"] } ?? [])
  }

  /// Returns the replacement of a personal field as it is written; `nil` for nil, and `…` if the constant
  /// cannot be written.
  private func erased(_ field: FieldShape) -> String? {
    guard let replacement = field.replacement else { return "…" }
    let value: CBOR
    do throws(CodingFailure) { value = try CBOR(decoding: replacement) } catch { return "…" }
    return value == .null ? nil : self.value(value, of: field.shape) ?? "…"
  }

  /// Returns a value of a declared type as it is written; `nil` if it has no literal.
  private func value(_ value: CBOR, of shape: ValueShape) -> String? {
    switch (shape, value) {
    case (.optional, .null): "nil"
    case (.optional(let inner), _): self.value(value, of: inner)
    case (.bool, .bool(let bool)): "\(bool)"
    case (.integer, .unsigned(let number)): Int(exactly: number).map { "\($0)" }
    case (.integer, .negative(let number)): Int(exactly: number).map { "\(-1 - $0)" }
    case (.float, .double(let number)) where number.isFinite: "\(Float(number))"
    case (.double, .double(let number)) where number.isFinite: "\(number)"
    case (.text, .text(let text)): SwiftName.literal(text)
    // An empty literal has no type where the macro takes it.
    case (.list, .array([])), (.set, .array([])), (.map, .array([])), (.map, .map([])):
      type(shape).map { "\($0)()" }
    // One of only nil has none either.
    case (.list, .array(let values)) where values.allSatisfy({ $0 == .null }): nil
    case (.set, .array(let values)) where values.allSatisfy({ $0 == .null }): nil
    case (.map, .map(let pairs)) where pairs.allSatisfy({ $0.value == .null }): nil
    case (.list(let inner), .array(let values)), (.set(let inner), .array(let values)):
      list(values.map { self.value($0, of: inner) }).map { "[\($0)]" }
    case (.map(.text, let inner), .map(let pairs)):
      list(
        pairs.map { pair in
          guard case .text(let key) = pair.key, let value = self.value(pair.value, of: inner) else {
            return nil
          }
          return "\(SwiftName.literal(key)): \(value)"
        }
      ).map { "[\($0)]" }
    case (.record(let fields), .array(let values)) where values.count == fields.count:
      type(shape).flatMap { type in
        let labels = Self.names(of: fields.map(\.name)).map(\.written)
        return list(held(values[...], fields, labels)).map { "\(type)(\($0))" }
      }
    case (.choice(let cases), .unsigned(let number)): oneCase(number, [], cases, of: shape)
    case (.choice(let cases), .array(let values)):
      if case .unsigned(let number)? = values.first {
        oneCase(number, values.dropFirst(), cases, of: shape)
      } else {
        nil
      }
    default: nil
    }
  }

  private func oneCase(
    _ number: UInt64, _ values: ArraySlice<CBOR>, _ cases: [CaseShape], of shape: ValueShape
  ) -> String? {
    guard let index = Int(exactly: number), cases.indices.contains(index), let type = type(shape) else {
      return nil
    }
    let name = Self.names(of: cases.map(\.name))[index].written
    let fields = cases[index].values
    if fields.isEmpty { return "\(type).\(name)" }
    let labels = fields.enumerated().map { number, field in
      field.name == "_\(number)" ? nil : SwiftName(field.name).written
    }
    return list(held(values, fields, labels)).map { "\(type).\(name)(\($0))" }
  }

  private func held(
    _ values: ArraySlice<CBOR>, _ fields: [FieldShape], _ labels: [String?]
  ) -> [String?] {
    zip(zip(values, fields), labels).map { part, label in
      value(part.0, of: part.1.shape).map { text in label.map { "\($0): \(text)" } ?? text }
    }
  }

  /// Returns the parts of a literal, if each can be written.
  private func list(_ parts: [String?]) -> String? {
    let written = parts.compactMap(\.self)
    return written.count == parts.count ? written.joined(separator: ", ") : nil
  }

  /// Returns a declared type with the name of its schema; `nil` if it has different meanings in different
  /// places.
  private func type(_ shape: ValueShape) -> String? {
    switch shape {
    case .optional(let inner): return type(inner).map { "\($0)?" }
    case .list(let inner): return type(inner).map { "[\($0)]" }
    case .set(let inner): return type(inner).map { "Set<\($0)>" }
    case .map(let key, let value):
      return type(key).flatMap { key in type(value).map { "[\(key): \($0)]" } }
    case .record, .choice, .enclosing: return names[shape].map { "\(home).\($0)" }
    default:
      var types = self
      return types.type(shape, named: "")
    }
  }
}
