/// A change of a record from one version to the next, and its effect, computed without the code under test.
struct ShapeEdit {
  let shape: RecordShape
  var adjustments: [FieldAdjustment] = []
  /// What becomes of the fields of a payload of the older shape.
  let apply: ([CBOR]) -> [CBOR]
  /// Whether older programs can get all fields back.
  var isReversible = true

  /// A random change of `shape`; `number` makes new names.
  static func random(of shape: RecordShape, number: Int, using generator: inout SeededGenerator) -> ShapeEdit
  {
    let fields = shape.fields.withClearNames
    let place = fields.isEmpty ? 0 : Int.random(in: 0..<fields.count, using: &generator)
    let new = "new\(number)"
    switch fields.isEmpty ? 0 : Int.random(in: 0..<11, using: &generator) {
    case 0:
      return insert(FieldShape(new, .optional(.text)), .null, at: place, into: fields)
    case 1:
      var edit = insert(FieldShape(new, .text), "constant", at: place, into: fields)
      edit.adjustments = [.constant(field: new, bytes: hex("68636f6e7374616e74"))]
      return edit
    case 2:
      var kept = fields
      kept.remove(at: place)
      return ShapeEdit(
        shape: RecordShape(kept),
        apply: { values in
          var values = values
          values.remove(at: place)
          return values
        }, isReversible: false)
    case 3:
      let renamed = FieldShape(new, originalName: fields[place].name, fields[place].shape)
      return replace(place, renamed, in: fields) { $0 }
    case 4:
      let order = fields.indices.shuffled(using: &generator)
      return ShapeEdit(
        shape: RecordShape(order.map { fields[$0] }), apply: { values in order.map { values[$0] } })
    case 5:
      var edit = replace(place, fields[place].with(.list(fields[place].shape)), in: fields) { [$0] }
      if case .list = fields[place].shape {
        return insert(FieldShape(new, .optional(.date)), .null, at: 0, into: fields)
      }
      edit.adjustments = [.wrap(fields[place].name)]
      return edit
    case 6...8: return randomMove(of: shape, number: number, using: &generator)
    default:
      return replace(place, fields[place].with(fields[place].shape.widened), in: fields) {
        fields[place].shape.widen($0)
      }
    }
  }

  /// A random change of `shape` that moves fields into or out of records, or makes one optional; `number`
  /// makes new names.
  static func randomMove(
    of shape: RecordShape, number: Int, using generator: inout SeededGenerator
  ) -> ShapeEdit {
    let fields = shape.fields.withClearNames
    let new = "new\(number)"
    let records = fields.indices.filter { fields[$0].shape.innerFields != nil }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0, 1:
      guard let outer = records.randomElement(using: &generator) else { break }
      return hoist(out: outer, of: fields, new, using: &generator)
    case 2:
      // A record, where there is one, so that what leaves it later has been optional twice.
      let place = records.randomElement(using: &generator) ?? fields.indices.randomElement(using: &generator)
      guard let place else { break }
      if case .optional = fields[place].shape { break }
      return replace(place, fields[place].with(.optional(fields[place].shape)), in: fields) { $0 }
    default: break
    }
    return plunge(fields, new, using: &generator)
  }

  /// Moves some fields into a new record called `new`.
  private static func plunge(
    _ fields: [FieldShape], _ new: String, using generator: inout SeededGenerator
  ) -> ShapeEdit {
    let taken = fields.indices.filter { _ in Bool.random(using: &generator) }
    guard !taken.isEmpty else {
      return insert(FieldShape(new, .optional(.uuid)), .null, at: 0, into: fields)
    }
    let parts = taken.map { FieldShape(fields[$0].name, fields[$0].shape) }
    let kept = fields.indices.filter { !taken.contains($0) }
    return ShapeEdit(
      shape: RecordShape([FieldShape(new, .record(parts))] + kept.map { fields[$0] }),
      adjustments: [.plunge(new)],
      apply: { values in [.array(taken.map { values[$0] })] + kept.map { values[$0] } })
  }

  /// Moves some fields out of the record numbered `outer`, which stays or goes.
  private static func hoist(
    out outer: Int, of fields: [FieldShape], _ new: String, using generator: inout SeededGenerator
  ) -> ShapeEdit {
    let parts = fields[outer].shape.innerFields ?? []
    let taken = parts.indices.filter { _ in Bool.random(using: &generator) }
    let stays = Bool.random(using: &generator)
    let kept = fields.indices.filter { stays || $0 != outer }
    let hoisted = taken.map { number in
      FieldShape(
        "\(new)_\(number)", originalName: parts[number].name,
        fields[outer].shape.isOptional ? parts[number].shape.optional : parts[number].shape)
    }
    return ShapeEdit(
      shape: RecordShape(hoisted + kept.map { fields[$0] }),
      adjustments: hoisted.map { .hoist($0.name, from: fields[outer].name) },
      apply: { values in
        let moved: [CBOR] = taken.map { number in
          if case .array(let inner) = values[outer] { inner[number] } else { .null }
        }
        return moved + kept.map { values[$0] }
      }, isReversible: stays)
  }

  private static func insert(_ field: FieldShape, _ value: CBOR, at place: Int, into fields: [FieldShape])
    -> ShapeEdit
  {
    var fields = fields
    fields.insert(field, at: place)
    return ShapeEdit(
      shape: RecordShape(fields),
      apply: { values in
        var values = values
        values.insert(value, at: place)
        return values
      })
  }

  private static func replace(
    _ place: Int, _ field: FieldShape, in fields: [FieldShape], _ change: @escaping (CBOR) -> CBOR
  ) -> ShapeEdit {
    var fields = fields
    fields[place] = field
    return ShapeEdit(
      shape: RecordShape(fields),
      apply: { values in
        var values = values
        values[place] = change(values[place])
        return values
      })
  }
}

extension [FieldShape] {
  /// The fields without the original names that another field has by now. A plan that keeps such a name is
  /// refused, because the field may have its value from either.
  fileprivate var withClearNames: [FieldShape] {
    map { field in
      let original = field.originalName.flatMap { name in
        contains { ExactText($0.name) == ExactText(name) } ? nil : name
      }
      return FieldShape(field.name, originalName: original, field.shape.withClearNames)
    }
  }
}

extension ValueShape {
  /// The shape, with clear names in the records that are moved into and out of.
  fileprivate var withClearNames: ValueShape {
    switch self {
    case .record(let fields): .record(fields.withClearNames)
    case .optional(let inner): .optional(inner.withClearNames)
    default: self
    }
  }
}

extension FieldShape {
  fileprivate func with(_ shape: ValueShape) -> FieldShape {
    FieldShape(name, originalName: originalName, shape)
  }
}

extension ValueShape {
  fileprivate var isOptional: Bool { if case .optional = self { true } else { false } }

  /// The type whose values may be null too.
  fileprivate var optional: ValueShape { isOptional ? self : .optional(self) }

  /// The fields of a record, or of an optional one; `nil` for anything else.
  fileprivate var innerFields: [FieldShape]? {
    switch self {
    case .record(let fields), .optional(.record(let fields)): fields
    default: nil
    }
  }

  /// A type that holds every value of this one, by the list of lossless widenings; nested types too.
  fileprivate var widened: ValueShape {
    switch self {
    case .integer(.int8): .float
    case .integer(.int16): .integer(.int64)
    case .integer(.int32), .integer(.uint32), .integer(.uint8), .float: .double
    case .integer(.uint16): .integer(.int32)
    case .text: .bytes
    case .url: .text
    case .optional(let inner): .optional(inner.widened)
    case .list(let inner): .list(inner.widened)
    case .map(.text, let value): .map(.text, value.widened)
    case .record(let fields):
      .record(fields.map { $0.with($0.shape.widened) } + [FieldShape("brand new", .optional(.bool))])
    case .choice(let cases):
      .choice(
        [CaseShape("brand new", [FieldShape("_0", .bool)])]
          + cases.map { oneCase in CaseShape(oneCase.name, oneCase.values.map { $0.with($0.shape.widened) }) }
      )
    default: self
    }
  }

  /// What a value of this type is as one of the widened type.
  fileprivate func widen(_ value: CBOR) -> CBOR {
    switch (self, value) {
    case (.integer(.int8), .unsigned(let number)), (.integer(.int32), .unsigned(let number)),
      (.integer(.uint32), .unsigned(let number)), (.integer(.uint8), .unsigned(let number)):
      return .double(Double(number))
    case (.integer(.int8), .negative(let number)), (.integer(.int32), .negative(let number)):
      return .double(-1 - Double(number))
    case (.text, .text(let text)): return .bytes([UInt8](text.utf8))
    case (.optional, .null): return .null
    case (.optional(let inner), _): return inner.widen(value)
    case (.list(let inner), .array(let elements)): return .array(elements.map { inner.widen($0) })
    case (.map(.text, let inner), .map(let pairs)):
      return .map(pairs.map { CBOR.Pair($0.key, inner.widen($0.value)) })
    case (.record(let fields), .array(let values)):
      return .array(zip(fields, values).map { $0.shape.widen($1) } + [.null])
    case (.choice, .unsigned(let number)): return .unsigned(number + 1)
    case (.choice(let cases), .array(let parts)):
      guard case .unsigned(let number) = parts[0] else { return .null }
      return .array(
        [.unsigned(number + 1)] + zip(cases[Int(number)].values, parts.dropFirst()).map { $0.shape.widen($1) }
      )
    default: return value
    }
  }
}
